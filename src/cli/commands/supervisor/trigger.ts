import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { SupervisorClient, TriggerQuery } from '../../../client/supervisor-client.ts'
import type { TriggerView } from '../../../contract/supervisor.ts'
import type { TriggerBody } from '../../../contract/supervisor-requests.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { isSettled } from '../../../core/supervisor/trigger/trigger.ts'
import { displayLine } from '../../../core/text.ts'
import { upTo } from '../../context/option-values.ts'
import { note, print, printFor, printJson, printView } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { addCommand } from '../../context/run-command.ts'
import { outcomeText, progressText, triggerTable, triggerText } from '../../render/trigger-text.ts'
import { AGENT, RUN_BY_US } from './help-group.ts'
import { createSupervised } from './supervisor-context.ts'
import { boundedFile, boundedStdin } from './text-input.ts'

type TriggerOptions = {
  reason?: string
  thread?: string
  text?: string
  file?: string
  force?: boolean
  as?: string
  why?: string
  wait?: boolean
  json?: boolean
}

const POLL_MS = 250
const FIRST_LOOK_MS = 150

export function addTo(program: Command): void {
  const trigger = addCommand(
    program,
    'trigger',
    'send a runtime a prompt, and confirm its delivery',
    sendTrigger,
  )
    .helpGroup(RUN_BY_US)
    .usage('[options] <agent>\n       trailboss trigger list|show|retry|cancel')
    .argument('<agent>', AGENT)
    .option('--reason <why>', 'why, in a word or two; the agent sees it')
    .option('--thread <id>', 'the thread it is about; without a text, the agent reads that')
    .option('--text <text>', 'the prompt (- for stdin)')
    .option('--file <file>', 'the prompt, from a file')
    .option('--force', 'even while somebody types there; needs --as and --why')
    .option('--as <who>', 'your name, for the audit')
    .option('--why <why>', 'why it cannot wait, for the audit')
    .option('--wait', 'wait until it is delivered, or fails (exit code 1)')
    .helpCommand(false)
  addCommand(trigger, 'list', 'print triggers, newest last', listTriggers)
    .option('--agent <name>', 'only for this agent')
    .option('--thread <id>', 'only about this thread')
    .option('--state <state>', 'open, delivered, failed, …')
    .option('--limit <n>', 'at most this many', upTo(1000), 30)
  addCommand(trigger, 'show <id>', 'show one trigger in detail', showTrigger)
  addCommand(trigger, 'retry <id>', 'send a failed trigger again', retryTrigger).option(
    '--wait',
    'wait until it is delivered, or fails (exit code 1)',
  )
  addCommand(trigger, 'cancel <id>', 'cancel a trigger, or dismiss a failed one', cancelTrigger)
}

/** Exit code 1 if `--wait` was given and it did not arrive. */
async function sendTrigger(agent: string, options: TriggerOptions): Promise<number> {
  const reason = reasonOf(options)
  const force = forceOf(options)
  const { supervisor, by } = createSupervised()
  const text = await textOf(options)
  const made = await supervisor.send({
    agent,
    reason,
    ...(options.thread !== undefined && { thread: options.thread }),
    ...(text !== undefined && { text }),
    ...(force && { force }),
    by: options.as ?? by,
  })
  return await printOutcome(supervisor, made, options)
}

async function retryTrigger(
  id: string,
  options: { wait?: boolean; json?: boolean },
): Promise<number> {
  const { supervisor, by } = createSupervised()
  return await printOutcome(supervisor, await supervisor.retry(id, by), options)
}

async function cancelTrigger(id: string, options: { json?: boolean }): Promise<void> {
  const { supervisor, by } = createSupervised()
  await printView(await supervisor.cancel(id, by), options, (cancelled) =>
    cancelled.state === 'failed'
      ? `Trigger ${displayLine(cancelled.id)} stays failed, and is no longer in your queue.`
      : outcomeText(cancelled),
  )
}

async function listTriggers(
  options: TriggerQuery & { limit: number; json?: boolean },
): Promise<void> {
  const { supervisor } = createSupervised()
  const { limit, json, ...query } = options
  const triggers = await supervisor.triggers(query)
  if (json) return printJson({ triggers })
  if (triggers.length === 0) return note('No trigger matches.')
  const left = triggers.length - limit
  if (left > 0)
    note(`${left} older ${left === 1 ? 'trigger is' : 'triggers are'} not shown; see --limit.`)
  await printFor((reader) => triggerTable(triggers.slice(-limit), reader))
}

async function showTrigger(id: string, options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  await printView(await supervisor.trigger(id), options, triggerText)
}

async function printOutcome(
  supervisor: SupervisorClient,
  made: TriggerView,
  { wait, json }: { wait?: boolean; json?: boolean },
): Promise<number> {
  const last = wait
    ? await settled(supervisor, made, (text) => json || note(text))
    : await afterFirstLook(supervisor, made)
  const hasFailed = wait ? last.state !== 'delivered' : last.state === 'failed'
  if (json) printJson(last)
  else if (hasFailed) note(`${outcomeText(last)}${retryHint(last)}`)
  else print(`${outcomeText(last)}${wait ? '' : followHint(last)}`)
  return hasFailed ? 1 : 0
}

/** One that cannot be delivered at all, such as to an agent that is stopped, fails at once. */
async function afterFirstLook(
  supervisor: SupervisorClient,
  made: TriggerView,
): Promise<TriggerView> {
  await delay(FIRST_LOOK_MS)
  return await supervisor.trigger(made.id).catch(() => made)
}

/** Prints each change of what it waits for. */
async function settled(
  supervisor: SupervisorClient,
  made: TriggerView,
  say: (text: string) => void,
): Promise<TriggerView> {
  let last = made
  say(outcomeText(last))
  while (!isSettled(last)) {
    await delay(POLL_MS)
    const kept = `Trigger ${displayLine(made.id)} is stored, and goes on with the daemon.`
    const next = await patiently(() => supervisor.trigger(made.id), kept)
    const isNews =
      next.state !== last.state ||
      next.code !== last.code ||
      (next.sentence !== null && next.sentence !== last.sentence)
    if (isNews && !isSettled(next)) say(progressText(next))
    last = next
  }
  return last
}

function followHint({ id }: TriggerView): string {
  return `\nFollow it with: trailboss trigger show ${displayLine(id)}`
}

function retryHint({ id, agent, state, code }: TriggerView): string {
  if (state !== 'failed') return ''
  const isDown = code === 'TARGET_NOT_FOUND'
  const first = isDown ? `\n  First start it:    trailboss runtime start ${displayLine(agent)}` : ''
  return `${first}\n  Try it again with: trailboss trigger retry ${displayLine(id)}`
}

/** An option that commander requires would be required for the subcommands, too. */
function reasonOf({ reason }: TriggerOptions): string {
  if (reason !== undefined) return reason
  throw new TrailBossError('BAD_USAGE', 'The agent needs a reason: --reason is missing.', {
    hint: 'In a word or two, such as: --reason review',
  })
}

function forceOf({ force, as, why }: TriggerOptions): TriggerBody['force'] {
  if (force && as !== undefined && why !== undefined) return { by: as, why }
  if (!force && why === undefined) return undefined
  throw new TrailBossError('BAD_USAGE', '--force goes with --as WHO and --why WHY.', {
    hint: 'It does not wait for whoever types in that pane. The audit records who wanted that, and why.',
  })
}

async function textOf({ text, file }: TriggerOptions): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--text and --file exclude each other.')
  }
  if (file !== undefined) return await boundedFile(file)
  return text === '-' ? await boundedStdin() : text
}
