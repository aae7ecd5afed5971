import type { Command } from 'commander'
import type { ThreadView } from '../../../contract/supervisor.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { collected, upTo } from '../../context/option-values.ts'
import { note, print, printFor, printJson, printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { threadTable, threadText } from '../../render/thread-text.ts'
import { RUN_BY_US } from './help-group.ts'
import { createBridged } from './supervisor-context.ts'
import { boundedFile, boundedStdin } from './text-input.ts'

type Json = { json?: boolean }

export function addTo(program: Command): void {
  const thread = program
    .command('thread')
    .description('let agents talk, and unblock them when they loop')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
    .addHelpText('after', HELP)
  addCommand(thread, 'list', 'print the threads, the latest message first', listThreads)
    .option('--workspace <name>', 'only of this workspace')
    .option('--state <state>', 'open, blocked or closed')
    .option('--all', 'include closed threads')
  addCommand(thread, 'show <id>', 'show a thread and its latest messages', showThread).option(
    '--limit <n>',
    'how many messages',
    upTo(1000),
    20,
  )
  addCommand(thread, 'open', 'open a thread', openThread)
    .argument('<title>', 'what it is about')
    .requiredOption(
      '--with <agent>',
      'an agent that takes part; may be given several times',
      collected,
    )
    .option('--workspace <name>', 'its workspace; not needed if there is only one')
  addCommand(thread, 'post', 'post a message; its agents get a prompt to read it', postMessage)
    .argument('<id>', 'the thread')
    .argument('[text]', 'the message (- for stdin)')
    .option('--file <file>', 'the message, from a file')
    .option('--to <agent>', 'only to this agent; may be given several times', collected)
  addCommand(thread, 'unblock <id>', 'let a blocked thread continue', unblockThread)
  addCommand(thread, 'close <id>', 'close a thread', closeThread)
}

const HELP = `
Trail Boss blocks a thread after 20 messages without progress, or when a finding comes up 3 times. It then waits in your queue until you unblock or close it.`

async function listThreads(
  options: Json & { workspace?: string; state?: string; all?: boolean },
): Promise<void> {
  const { bridge } = createBridged()
  const { workspace, state } = options
  const known = await bridge.threads({
    ...(workspace !== undefined && { workspace }),
    ...(state !== undefined && { state }),
  })
  const isShown = (thread: ThreadView) =>
    options.all || state !== undefined || thread.state.kind !== 'closed'
  const threads = known.filter(isShown)
  if (options.json) return printJson({ threads })
  if (threads.length === 0) return note(NONE)
  await printFor((reader) => threadTable(threads, reader))
}

async function showThread(id: string, options: Json & { limit: number }): Promise<void> {
  const { bridge } = createBridged()
  const thread = await bridge.thread(id)
  const messages = await bridge.messages(id, options.limit)
  if (options.json) return printJson({ ...thread, messages })
  await printFor((reader) => threadText(thread, messages, reader))
}

async function openThread(
  title: string,
  options: Json & { with: string[]; workspace?: string },
): Promise<void> {
  const { bridge, by, workspaceFor } = createBridged()
  const workspace = workspaceFor(options.workspace ?? workspaceOf(options.with))
  const opened = await bridge.open({ workspace, title, participants: options.with, by })
  await printView(opened, options, ({ id, participants }) => {
    const agents = participants.map(displayLine).join(', ')
    return `${id} is open for ${agents}. Post to it: trailboss thread post ${id} TEXT`
  })
}

async function postMessage(
  id: string,
  text: string | undefined,
  options: Json & { file?: string; to?: string[] },
): Promise<void> {
  const { bridge, by } = createBridged()
  const said = await textOf(text, options.file)
  const { to } = options
  const posted = await bridge.post({ thread: id, text: said, by, ...(to && { to }) })
  if (options.json) return printJson(posted)
  const { thread, message } = posted
  const readers = message.to.length > 0 ? message.to : thread.participants
  const waits = thread.state.kind === 'blocked' ? ' The thread is blocked: nobody is prompted.' : ''
  print(`Posted to ${readers.map(displayLine).join(', ')}.${waits}`)
}

async function unblockThread(id: string, options: Json): Promise<void> {
  const { bridge, by } = createBridged()
  await printView(await bridge.unblock(id, by), options, (thread) => {
    return `${thread.id} is open. Its turns and findings count from zero again.`
  })
}

async function closeThread(id: string, options: Json): Promise<void> {
  const { bridge, by } = createBridged()
  await printView(await bridge.close(id, by), options, (thread) => `${thread.id} is closed.`)
}

const NONE =
  'No thread is open. Open one with: trailboss thread open "What it is about" --with <role> --with <role>'

/** A full agent name includes the workspace. */
function workspaceOf(participants: readonly string[]): string | undefined {
  return participants.find((name) => name.includes('/'))?.split('/')[0]
}

async function textOf(text: string | undefined, file: string | undefined): Promise<string> {
  if ((text === undefined) === (file === undefined)) {
    throw new TrailBossError('BAD_USAGE', 'What is the message? Give a text, or a --file.', {
      hint: 'A text of - is read from stdin.',
    })
  }
  if (file !== undefined) return await boundedFile(file)
  return text === '-' ? await boundedStdin() : (text ?? '')
}
