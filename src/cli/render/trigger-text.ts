import type { TriggerView } from '../../contract/supervisor.ts'
import type { AckKind } from '../../core/supervisor/trigger/ack.ts'
import {
  type DeliveryWay,
  isSettled,
  type TriggerState,
} from '../../core/supervisor/trigger/trigger.ts'
import { displayLine, displayText } from '../../core/text.ts'
import { ageText, elapsedText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** One row for each trigger. */
export function triggerTable(triggers: readonly TriggerView[], reader: Reader): string {
  return table(triggers, reader, [
    ['TRIGGER', ({ id }) => id],
    ['AGENT', ({ agent }) => agent],
    ['STATE', ({ state }) => state, { tone: ({ state }) => toneOf(state) }],
    ['AGE', ({ createdAt }) => ageText(createdAt, reader.now), { from: 72 }],
    [
      'WHAT',
      ({ state, code, reason }) =>
        [state === 'delivered' ? undefined : code, reason].filter(Boolean).join(' · '),
    ],
  ])
}

/** One trigger in detail, and what to do about it. */
export function triggerText(trigger: TriggerView, reader: Reader): string {
  const { now, paint = plain } = reader
  const { force } = trigger
  const fields = fieldLines(
    [
      ['reason', trigger.reason],
      ['thread', trigger.thread ?? undefined],
      ['way', wayText(trigger)],
      ['size', `${trigger.bytes} bytes, sha256 ${trigger.sha256.slice(0, 16)}…`],
      ['forced', force ? `by ${force.by}: ${force.why}` : undefined],
    ],
    reader,
  )
  const advice = adviceOn(trigger)
  return [
    standing(trigger, now, paint),
    ...(trigger.sentence && trigger.state !== 'delivered' ? [displayLine(trigger.sentence)] : []),
    '',
    ...fields,
    ...quoted('It says', trigger.words, paint),
    ...quoted('The screen that it failed on', trigger.screen, paint),
    ...(advice ? ['', advice] : []),
  ].join('\n')
}

function quoted(title: string, text: string | null, paint: Paint): string[] {
  if (!text) return []
  const lines = displayText(text).trimEnd().split('\n')
  return ['', paint('heading', `${title}:`), ...lines.map((line) => `  ${line}`.trimEnd())]
}

/** Its result or its state, in a sentence. */
export function outcomeText({ id, agent, state, code, ...rest }: TriggerView): string {
  const [trigger, target] = [displayLine(id), displayLine(agent)]
  const { ack, createdAt, settledAt, sentence } = rest
  if (state === 'delivered') {
    const took = settledAt === null ? '' : ` in ${elapsedText(settledAt - createdAt)}`
    return `Delivered to ${target}${took}${ack ? ` (${ACK_TEXT[ack.kind]})` : ''}.`
  }
  if (state === 'cancelled') return `Trigger ${trigger} was cancelled; ${target} will not get it.`
  if (state === 'failed') {
    const why = sentence ? ` ${displayLine(sentence)}` : ''
    return `Trigger ${trigger} failed${code ? ` (${code})` : ''}.${why}`
  }
  return `Trigger ${trigger} for ${target} is ${state}.`
}

/** Its progress, and what it waits for. */
export function progressText({ state, via, sentence }: TriggerView): string {
  const known = via === 'channel' ? { ...PROGRESS_TEXT, ...CHANNEL_TEXT } : PROGRESS_TEXT
  const words = known[state] ?? `It is ${state}.`
  return sentence ? `${words} ${displayLine(sentence)}` : words
}

const ACK_TEXT: Record<AckKind, string> = {
  hook: 'confirmed by its hook',
  transcript: 'confirmed by its transcript',
  cursor: 'confirmed by its reading the thread',
  heartbeat: 'confirmed by its next heartbeat',
}

const PROGRESS_TEXT: Partial<Record<TriggerState, string>> = {
  queued: 'It is waiting for its turn.',
  deferred: 'It gives way.',
  claimed: 'It is being typed.',
  written: 'It is typed.',
  submitted: 'Enter was pressed; waiting for confirmation.',
  fallback: 'It goes to a new process.',
}

const CHANNEL_TEXT: Partial<Record<TriggerState, string>> = {
  claimed: 'It is handed over.',
  submitted: "The harness's own channel has it; waiting for confirmation.",
}

const WAY_TEXT: Record<DeliveryWay, string> = {
  channel: "through the harness's own channel",
  paste: 'typed into its pane',
  resume: 'with its session resumed',
  spawn: 'with a new session',
}

function standing({ id, agent, state, code, ...rest }: TriggerView, now: number, paint: Paint) {
  const { createdAt, settledAt } = rest
  const named = `Trigger ${displayLine(id)} for ${displayLine(agent)}`
  const word = paint(toneOf(state), state)
  if (!isSettled({ state }) || settledAt === null) {
    return `${named} is ${word}${code ? ` (${code})` : ''}, made ${ageText(createdAt, now)} ago.`
  }
  const when = `${ageText(settledAt, now)} ago, ${elapsedText(settledAt - createdAt)} after it was made`
  const verb = state === 'failed' ? word : `was ${word}`
  return `${named} ${verb} ${when}${state === 'failed' && code ? `: ${code}` : ''}.`
}

function wayText({ via, pastes, enters, resumes, spawns, ack }: TriggerView): string | undefined {
  if (via === null) return undefined
  const times = [
    counted(pastes, 'paste'),
    counted(enters, 'Enter'),
    counted(resumes, 'resume'),
    counted(spawns, 'new session'),
  ].filter(Boolean)
  const how = times.length > 0 ? `${WAY_TEXT[via]} (${times.join(', ')})` : WAY_TEXT[via]
  return ack ? `${how}; ${ACK_TEXT[ack.kind]}` : how
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`
}

function toneOf(state: TriggerState): Tone {
  if (state === 'delivered') return 'good'
  if (state === 'failed') return 'bad'
  return state === 'cancelled' ? 'quiet' : 'waiting'
}

function adviceOn({ id, agent, state, code, claimedAt }: TriggerView): string | undefined {
  const name = displayLine(id)
  if (state === 'failed') {
    const isDown = code === 'TARGET_NOT_FOUND'
    const first = isDown ? `First start it:    trailboss runtime start ${displayLine(agent)}\n` : ''
    return `${first}Try it again with: trailboss trigger retry ${name}\nOr dismiss it:     trailboss trigger cancel ${name}`
  }
  const canBeCancelled = !isSettled({ state }) && claimedAt === null
  return canBeCancelled ? `Take it back with: trailboss trigger cancel ${name}` : undefined
}
