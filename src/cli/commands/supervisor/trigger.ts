import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { SupervisorClient, TriggerQuery } from '../../../client/supervisor-client.ts'
import type { TriggerView } from '../../../contract/supervisor.ts'
import type { TriggerBody } from '../../../contract/supervisor-requests.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { isSettled } from '../../../core/supervisor/trigger/trigger.ts'
import { displayLine } from '../../../core/text.ts'
import { upTo } from '../../context/option-values.ts'
import { note, print, printFor, printJson } from '../../context/output.ts'
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

export function addTo(program: Command): void {
  const trigger = addCommand(
    program,
    'trigger',
    'give a runtime a prompt, and see that it arrives',
    sendTrigger,
  )
    .helpGroup(RUN_BY_US)
    .usage('[options] <agent>\n       trailboss trigger list|show|retry|cancel')
    .argument('<agent>', AGENT)
    .option('--reason <why>', 'why, in a word or two; the agent is told')
    .option('--thread <id>', 'what it is about; without a text, it is to read that')
    .option('--text <text>', 'what to say, - for stdin')
    .option('--file <file>', 'what to say, from a file')
    .option('--force', 'do not wait for whoever types there; needs --as and --why')
    .option('--as <who>', 'as whom')
    .option('--why <why>', 'why it cannot wait; the audit keeps it')
    .option('--wait', 'until it has arrived, or failed (exit code 1)')
    .helpCommand(false)
  addCommand(trigger, 'list', 'print triggers, newest last', listTriggers)
    .option('--agent <name>', 'for this agent')
    .option('--thread <id>', 'of this thread')
    .option('--state <state>', 'open, delivered, failed, …')
    .option('--limit <n>', 'at most so many', upTo(1000), 30)
  addCommand(trigger, 'show <id>', 'say what became of one', showTrigger)
  addCommand(trigger, 'retry <id>', 'send one that failed once more', retryTrigger).option(
    '--wait',
    'until it has arrived, or failed (exit code 1)',
  )
  addCommand(trigger, 'cancel <id>', 'take one back, or let one that failed be', cancelTrigger)
}

/** Exit code 1 where it was waited for and did not arrive. */
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
  return await told(supervisor, made, options)
}

async function retryTrigger(
  id: string,
  options: { wait?: boolean; json?: boolean },
): Promise<number> {
  const { supervisor, by } = createSupervised()
  return await told(supervisor, await supervisor.retry(id, by), options)
}

async function cancelTrigger(id: string, options: { json?: boolean }): Promise<void> {
  const { supervisor, by } = createSupervised()
  const cancelled = await supervisor.cancel(id, by)
  if (options.json) return printJson(cancelled)
  const hasFailed = cancelled.state === 'failed'
  print(
    hasFailed
      ? `Trigger ${displayLine(cancelled.id)} stays failed, and is out of your queue.`
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
  if (triggers.length === 0) return note('There is no such trigger.')
  const left = triggers.length - limit
  if (left > 0) note(`${left} older ${left === 1 ? 'one is' : 'ones are'} left out; see --limit.`)
  await printFor((reader) => triggerTable(triggers.slice(-limit), reader))
}

async function showTrigger(id: string, options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const found = await supervisor.trigger(id)
  if (options.json) return printJson(found)
  await printFor((reader) => triggerText(found, reader))
}

async function told(
  supervisor: SupervisorClient,
  made: TriggerView,
  { wait, json }: { wait?: boolean; json?: boolean },
): Promise<number> {
  const last = wait ? await settled(supervisor, made, (text) => json || note(text)) : made
  const hasFailed = wait === true && last.state !== 'delivered'
  if (json) printJson(last)
  else if (hasFailed) note(`${outcomeText(last)}${retryHint(last)}`)
  else print(`${outcomeText(last)}${wait ? '' : followHint(last)}`)
  return hasFailed ? 1 : 0
}

/** Says each time that it waits for something else. */
async function settled(
  supervisor: SupervisorClient,
  made: TriggerView,
  say: (text: string) => void,
): Promise<TriggerView> {
  let last = made
  say(outcomeText(last))
  while (!isSettled(last)) {
    await delay(POLL_MS)
    const next = await supervisor.trigger(made.id)
    const isNews = next.state !== last.state || next.code !== last.code
    if (isNews && !isSettled(next)) say(progressText(next))
    last = next
  }
  return last
}

function followHint({ id }: TriggerView): string {
  return `\nSee what becomes of it with: trailboss trigger show ${displayLine(id)}`
}

function retryHint({ id, agent, state, code }: TriggerView): string {
  if (state !== 'failed') return ''
  const isDown = code === 'TARGET_NOT_FOUND'
  const first = isDown ? `\n  First start it:    trailboss runtime start ${displayLine(agent)}` : ''
  return `${first}\n  Try it again with: trailboss trigger retry ${displayLine(id)}`
}

/** Commander would want it of the subcommands, too. */
function reasonOf({ reason }: TriggerOptions): string {
  if (reason !== undefined) return reason
  throw new TrailBossError('BAD_USAGE', 'The agent has to be told why: --reason is missing.', {
    hint: 'In a word or two, such as: --reason review',
  })
}

function forceOf({ force, as, why }: TriggerOptions): TriggerBody['force'] {
  if (force && as !== undefined && why !== undefined) return { by: as, why }
  if (!force && why === undefined) return undefined
  throw new TrailBossError('BAD_USAGE', '--force goes with --as WHO and --why WHY.', {
    hint: 'It does not wait for whoever types in that pane. The audit keeps who wanted that, and why.',
  })
}

async function textOf({ text, file }: TriggerOptions): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--text and --file exclude each other.')
  }
  if (file !== undefined) return await boundedFile(file)
  return text === '-' ? await boundedStdin() : text
}
