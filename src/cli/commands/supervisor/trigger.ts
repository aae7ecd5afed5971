import { setTimeout as delay } from 'node:timers/promises'
import type { SupervisorClient, TriggerQuery } from '../../../client/supervisor-client.ts'
import type { TriggerView } from '../../../contract/supervisor.ts'
import type { TriggerBody } from '../../../contract/supervisor-requests.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { isSettled } from '../../../core/supervisor/trigger/trigger.ts'
import { displayLine } from '../../../core/text.ts'
import { paintFor } from '../../../text/paint.ts'
import { note, print, printJson } from '../../context/output.ts'
import { createSupervised } from '../../context/supervisor-context.ts'
import { boundedFile, boundedStdin } from '../../context/text-input.ts'
import { outcomeText, progressText, triggerTable, triggerText } from '../../render/trigger-text.ts'

export type TriggerOptions = {
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

/** Exit code 1 where it was waited for and did not arrive. */
export async function trigger(agent: string, options: TriggerOptions): Promise<number> {
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

export async function retryTrigger(
  id: string,
  options: { wait?: boolean; json?: boolean },
): Promise<number> {
  const { supervisor, by } = createSupervised()
  return await told(supervisor, await supervisor.retry(id, by), options)
}

export async function cancelTrigger(id: string, options: { json?: boolean }): Promise<void> {
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

export async function listTriggers(
  options: TriggerQuery & { limit: number; json?: boolean },
): Promise<void> {
  const { supervisor } = createSupervised()
  const { limit, json, ...query } = options
  const triggers = await supervisor.triggers(query)
  if (json) return printJson({ triggers })
  if (triggers.length === 0) return note('There is no such trigger.')
  const left = triggers.length - limit
  if (left > 0) note(`${left} older ${left === 1 ? 'one is' : 'ones are'} left out; see --limit.`)
  print(triggerTable(triggers.slice(-limit), { now: Date.now(), paint: paintFor() }))
}

export async function showTrigger(id: string, options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const found = await supervisor.trigger(id)
  if (options.json) return printJson(found)
  print(triggerText(found, { now: Date.now(), paint: paintFor() }))
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
