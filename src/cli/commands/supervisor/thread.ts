import type { ThreadView } from '../../../contract/supervisor.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { paintFor } from '../../../text/paint.ts'
import { createBridged } from '../../context/bridge-context.ts'
import { note, print, printJson } from '../../context/output.ts'
import { boundedFile, boundedStdin } from '../../context/text-input.ts'
import { threadTable, threadText } from '../../render/thread-text.ts'

type Json = { json?: boolean }

export async function listThreads(
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
  print(threadTable(threads, { now: Date.now(), paint: paintFor() }))
}

export async function showThread(id: string, options: Json & { limit: number }): Promise<void> {
  const { bridge } = createBridged()
  const thread = await bridge.thread(id)
  const messages = await bridge.messages(id, options.limit)
  if (options.json) return printJson({ ...thread, messages })
  print(threadText(thread, messages, { now: Date.now(), paint: paintFor() }))
}

export async function openThread(
  title: string,
  options: Json & { with: string[]; workspace?: string },
): Promise<void> {
  const { bridge, by, workspaceFor } = createBridged()
  const workspace = workspaceFor(options.workspace ?? workspaceOf(options.with))
  const thread = await bridge.open({ workspace, title, participants: options.with, by })
  if (options.json) return printJson(thread)
  print(
    `${thread.id} is open for ${thread.participants.map(displayLine).join(', ')}. Say something in it: trailboss thread post ${thread.id} TEXT`,
  )
}

export async function postMessage(
  id: string,
  text: string | undefined,
  options: Json & { file?: string; to?: string[] },
): Promise<void> {
  const { bridge, by } = createBridged()
  const said = await textOf(text, options.file)
  const { to } = options
  const posted = await bridge.post({ thread: id, text: said, by, ...(to && { to }) })
  if (options.json) return printJson(posted)
  const { thread } = posted
  const waits = thread.state.kind === 'blocked' ? ' The thread is blocked: nobody is prompted.' : ''
  print(`Posted to ${thread.participants.map(displayLine).join(', ')}.${waits}`)
}

export async function unblockThread(id: string, options: Json): Promise<void> {
  const { bridge, by } = createBridged()
  const thread = await bridge.unblock(id, by)
  if (options.json) return printJson(thread)
  print(`${thread.id} is open. Its turns and findings are counted anew.`)
}

export async function closeThread(id: string, options: Json): Promise<void> {
  const { bridge, by } = createBridged()
  const thread = await bridge.close(id, by)
  if (options.json) return printJson(thread)
  print(`${thread.id} is closed.`)
}

const NONE =
  'No thread is open. Open one with: trailboss thread open "What it is about" --with <role> --with <role>'

/** An agent that is named in full says which workspace is meant. */
function workspaceOf(participants: readonly string[]): string | undefined {
  return participants.find((name) => name.includes('/'))?.split('/')[0]
}

async function textOf(text: string | undefined, file: string | undefined): Promise<string> {
  if ((text === undefined) === (file === undefined)) {
    throw new TrailBossError('BAD_USAGE', 'What is to be said? Give a text, or a --file.', {
      hint: 'A text of - is read from stdin.',
    })
  }
  if (file !== undefined) return await boundedFile(file)
  return text === '-' ? await boundedStdin() : (text ?? '')
}
