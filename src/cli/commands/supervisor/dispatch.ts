import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DispatchClient } from '../../../client/dispatch-client.ts'
import type { DispatchView } from '../../../contract/dispatch.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { isOver } from '../../../core/supervisor/dispatch/dispatch.ts'
import { windowOf } from '../../../core/supervisor/runtime/runtime.ts'
import { displayLine, displayText } from '../../../core/text.ts'
import { managedHarnesses } from '../../../harness/registry.ts'
import { paintFor } from '../../../text/paint.ts'
import { duration, eitherOr, upTo } from '../../context/option-values.ts'
import { note, print, printFor, printJson, printVerbatim, printView } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { addCommand } from '../../context/run-command.ts'
import { auditTable } from '../../render/audit-table.ts'
import { dispatchSentence, dispatchTable, dispatchText } from '../../render/dispatch-text.ts'
import { RUN_BY_US } from './help-group.ts'
import { createSupervised } from './supervisor-context.ts'
import { boundedFile, boundedStdin } from './text-input.ts'

type BeginOptions = {
  harness?: string
  cwd?: string
  promptFile?: string
  prompt?: string
  /** False: no reviewer, whatever the workspace says. */
  reviewer?: string | false
  wait?: boolean
  json?: boolean
}

type Json = { json?: boolean }

type WaitOptions = Json & { timeout?: number; orWaiting?: boolean }

const POLL_MS = 500

export function addTo(program: Command): void {
  const dispatch = addCommand(
    program,
    'dispatch',
    'start an agent for a task, and follow it',
    beginDispatch,
  )
    .helpGroup(RUN_BY_US)
    .usage('[options] <name>\n       trailboss dispatch status|logs|wait|stop|accept')
    .argument('<name>', 'a name for it: a-z, 0-9, - and _')
    .option('--harness <name>', 'the harness to run')
    .option('--cwd <dir>', 'its directory, inside a workspace (default: this one)')
    .option('--prompt-file <file>', 'the task, from a file (- for stdin)')
    .option('--prompt <text>', 'the task (- for stdin)')
    .option(
      '--reviewer <agent>',
      'the agent that reviews the result: <workspace>/<role>, or its role (default: the reviewer of the workspace)',
    )
    .option('--no-reviewer', 'have nobody review the result')
    .option('--wait', 'wait until it ends (exit code 1 unless done)')
    .helpCommand(false)
    .addHelpText('after', HELP)
  eitherOr(dispatch)
  addCommand(dispatch, 'status [name]', 'show one dispatch, or all of them', dispatchStatus)
  addCommand(
    dispatch,
    'logs <name>',
    'print the audit of a dispatch, and its screen',
    dispatchLogs,
  ).option('--lines <n>', 'how many lines of its screen', upTo(500), 60)
  addCommand(
    dispatch,
    'wait <name>',
    'wait until a dispatch ends (exit code 1 unless done)',
    waitForDispatch,
  )
    .option('--timeout <time>', 'give up after this time: 90s, 10m, 2h', duration)
    .option('--or-waiting', 'also stop when it waits for somebody')
  addCommand(dispatch, 'stop <name>', 'end a dispatch and its agent', stopDispatch)
  addCommand(
    dispatch,
    'accept <name>',
    'take its last message as the result, even if it asks for more',
    acceptDispatch,
  )
}

const HELP = `
If it needs you, it is in your queue, like any other session. Its agent stays in its pane until you stop it.`

async function beginDispatch(name: string, options: BeginOptions): Promise<number> {
  const { dispatches, by, requireWorkspace } = createSupervised()
  requireWorkspace()
  const { cwd = '.', reviewer, wait, json } = options
  const begun = await dispatches.begin({
    name,
    harness: requireHarness(options),
    cwd: resolve(cwd),
    prompt: await promptOf(options),
    ...(reviewer !== undefined && { reviewer: reviewer || null }),
    by,
  })
  if (wait) return await ended(dispatches, begun, { ...(json && { json }) })
  if (json) printJson(begun)
  else {
    print(`${dispatchSentence(begun)}
Watch it:  tmux attach -t ${displayLine(windowOf(begun.target))}
Follow it: trailboss dispatch wait ${displayLine(name)}`)
  }
  return 0
}

async function dispatchStatus(name: string | undefined, options: Json): Promise<void> {
  const { dispatches } = createSupervised()
  if (name !== undefined) {
    return await printView(await dispatches.dispatch(name), options, dispatchText)
  }
  const found = await dispatches.dispatches()
  if (options.json) return printJson({ dispatches: found })
  if (found.length === 0) return note('There is no dispatch yet.')
  await printFor((reader) => dispatchTable(found, reader))
}

async function dispatchLogs(
  name: string,
  { lines, json }: { lines: number; json?: boolean },
): Promise<void> {
  const { dispatches } = createSupervised()
  const logs = await dispatches.logs(name, lines)
  if (json) return printJson(logs)
  await printFor((reader) => auditTable(logs.lines, reader))
  if (!logs.screen) return
  const when = logs.screen.live
    ? 'now'
    : `at ${new Date(logs.screen.at).toTimeString().slice(0, 8)}`
  print(`\n${paintFor()('heading', `Its screen ${when}:`)}`)
  printVerbatim(displayText(logs.screen.text))
}

async function waitForDispatch(name: string, options: WaitOptions): Promise<number> {
  const { dispatches } = createSupervised()
  return await ended(dispatches, await dispatches.dispatch(name), options)
}

async function stopDispatch(name: string, options: Json): Promise<void> {
  const { dispatches, by } = createSupervised()
  const text = ({ state }: DispatchView) =>
    `Stopping the agent of dispatch ${displayLine(name)}; the dispatch is ${state}.`
  await printView(await dispatches.stop(name, by), options, text)
}

async function acceptDispatch(name: string, options: Json): Promise<void> {
  const { dispatches, by } = createSupervised()
  await printView(await dispatches.accept(name, by), options, dispatchSentence)
}

/** Prints each change of state. Exit code 1 unless it is done in the end. */
async function ended(
  dispatches: DispatchClient,
  begun: DispatchView,
  { timeout = Number.POSITIVE_INFINITY, orWaiting = false, json = false }: WaitOptions,
): Promise<number> {
  const deadline = performance.now() + timeout
  const isEnough = (one: DispatchView) => isOver(one) || (orWaiting && one.waiting)
  let last = begun
  let said = ''
  while (true) {
    const sentence = dispatchSentence(last)
    if (!json && sentence !== said && !isOver(last)) note(sentence)
    said = sentence
    if (isEnough(last) || performance.now() >= deadline) break
    await delay(Math.min(POLL_MS, Math.max(0, deadline - performance.now())))
    const kept = `Dispatch ${displayLine(begun.name)} is stored, and goes on with the daemon.`
    last = await patiently(() => dispatches.dispatch(begun.name), kept)
  }
  if (json) printJson(last)
  else if (isOver(last)) await printFor((reader) => dispatchText(last, reader))
  else if (!isEnough(last)) note('It has not ended yet, and goes on.')
  return last.state === 'done' ? 0 : 1
}

/** An option that commander requires would be required for the subcommands, too. */
function requireHarness({ harness }: BeginOptions): string {
  if (harness !== undefined) return harness
  throw new TrailBossError('BAD_USAGE', 'Which harness should do it?', {
    hint: `Name one with --harness: ${managedHarnesses().join(', ')}.`,
  })
}

async function promptOf({ prompt, promptFile }: BeginOptions): Promise<string> {
  if (prompt !== undefined && promptFile !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--prompt and --prompt-file exclude each other.')
  }
  if (prompt === '-' || promptFile === '-') return await boundedStdin()
  if (promptFile !== undefined) return await boundedFile(promptFile)
  if (prompt !== undefined) return prompt
  throw new TrailBossError('BAD_USAGE', 'What is its task?', {
    hint: 'Give it with --prompt TEXT or --prompt-file FILE; - reads it from stdin.',
  })
}
