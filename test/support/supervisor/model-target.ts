import type { Ack } from '../../../src/core/supervisor/trigger/ack.ts'
import type { ComposerSight } from '../../../src/core/supervisor/trigger/composer.ts'
import type { TargetObservation } from '../../../src/core/supervisor/trigger/target-observation.ts'

/**
 * An agent as a delivery sees it: it has a composer, works, shows dialogs, drops pastes and Enters, is slow,
 * and dies. It keeps its own log of what it took, which outlives its processes like a session does.
 */
export type ModelTarget = {
  process: ModelProcess | undefined
  /** Every prompt that it took, whoever gave it. This is the truth against which deliveries are measured. */
  log: { text: string; at: number; isHooked: boolean }[]
  /** What its own channel holds until it has time. It survives the process. */
  queue: string[]
  /** What a command that has outlived the supervisor is about to put there. */
  handing: { text: string; at: number }[]
  heartbeatAt: number | undefined
  /** When its last process ended. */
  endedAt: number
  /** When processes ended badly and without being asked to. */
  crashes: number[]
  /** How often there was a reason to count a failure: crashes and failed starts. */
  mishaps: number
  faults: ModelFaults
}

type ModelProcess = {
  startedAt: number
  /** When the screen shows that it is the agent; never, if it hangs at its start. */
  shownAt: number
  mood: 'idle' | 'working' | 'dialog'
  composer: string
  /** Input that has not come through yet. */
  inputs: { at: number; what: 'enter' | { paste: string } | { prompt: string } }[]
  isAskedToEnd: boolean
  /** The supervisor has seen it running, and its launch gave it no prompt that it still has to take. */
  isReady: boolean
}

export type ModelFaults = {
  eatsPaste: number
  eatsEnter: number
  /** How long typed text takes to show. */
  lagMs: number
  losesHook: number
  /** How long after the end of the process its session can be read; undefined: never. */
  recordsMs: number | undefined
  hangsAtStart: number
  diesAtStart: number
  /** How often tmux refuses, or fails before or after doing its work. */
  tmuxFails: number
}

export function newTarget(faults: ModelFaults): ModelTarget {
  return {
    process: undefined,
    log: [],
    queue: [],
    handing: [],
    heartbeatAt: undefined,
    endedAt: 0,
    crashes: [],
    mishaps: 0,
    faults,
  }
}

export function launch(
  target: ModelTarget,
  prompt: string | undefined,
  now: number,
  random: () => number,
): void {
  const hangs = random() < target.faults.hangsAtStart
  if (hangs) target.mishaps++
  const shownAt = hangs ? Infinity : now + 200 + random() * 3_000
  const inputs =
    prompt === undefined || hangs ? [] : [{ at: shownAt + random() * 2_000, what: { prompt } }]
  target.process = {
    startedAt: now,
    shownAt,
    mood: 'idle',
    composer: '',
    inputs,
    isAskedToEnd: false,
    isReady: false,
  }
}

export function endTarget(
  target: ModelTarget,
  end: 'dead' | 'exited',
  now: number,
  isWrittenOff: boolean,
): void {
  const { process } = target
  if (!process) return
  if (!process.isAskedToEnd && !isWrittenOff) {
    if (end === 'dead') target.crashes.push(now)
    if (end === 'dead' || !process.isReady) target.mishaps++
  }
  target.process = undefined
  target.endedAt = now
}

/** Applies the input that has come through by now. */
export function settleInputs(target: ModelTarget, now: number, random: () => number): void {
  const { process } = target
  target.queue.push(...target.handing.filter(({ at }) => at <= now).map(({ text }) => text))
  target.handing = target.handing.filter(({ at }) => at > now)
  if (!process || now < process.shownAt) return
  for (const { at, what } of process.inputs) {
    if (at > now) continue
    if (what === 'enter') enter(target, process, at, random)
    else if ('prompt' in what) take(target, process, what.prompt, at, random)
    else if (process.mood !== 'dialog') process.composer += what.paste
  }
  process.inputs = process.inputs.filter(({ at }) => at > now)
  if (process.mood === 'idle' && target.queue.length > 0) {
    take(target, process, target.queue.shift() ?? '', now, random)
  }
}

export function pasteText(target: ModelTarget, text: string, now: number, random: () => number) {
  if (random() < target.faults.eatsPaste) return
  target.process?.inputs.push({ at: now + target.faults.lagMs, what: { paste: text } })
  settleInputs(target, now, random)
}

export function pressEnter(target: ModelTarget, now: number, random: () => number) {
  if (random() < target.faults.eatsEnter) return
  target.process?.inputs.push({ at: now + target.faults.lagMs, what: 'enter' })
  settleInputs(target, now, random)
}

/** The operator's own keys are never slow. */
export function operatorTypes(
  target: ModelTarget,
  what: 'letter' | 'enter' | 'clear',
  now: number,
  random: () => number,
): void {
  const { process } = target
  if (!process || now < process.shownAt) return
  if (what === 'enter') enter(target, process, now, random)
  else if (process.mood !== 'dialog')
    process.composer = what === 'clear' ? '' : `${process.composer}x`
}

export function composerOf({ process }: ModelTarget, now: number): ComposerSight {
  if (!process || now < process.shownAt) return { kind: 'none', why: 'it is not there' }
  if (process.mood !== 'idle') return { kind: 'none', why: process.mood }
  return process.composer === '' ? { kind: 'empty' } : { kind: 'text', text: process.composer }
}

/** If its session can be read at all, it can also be read while it lives. */
export function acksFor(target: ModelTarget, prefix: string, now: number): Ack[] {
  const { faults, log, heartbeatAt } = target
  const acks: Ack[] = heartbeatAt === undefined ? [] : [{ kind: 'heartbeat', at: heartbeatAt }]
  for (const { text, at, isHooked } of log) {
    if (!text.includes(prefix)) continue
    if (isHooked) acks.push({ kind: 'hook', at })
    if (faults.recordsMs !== undefined && at + faults.recordsMs <= now) {
      acks.push({ kind: 'transcript', at })
    }
  }
  return acks
}

/** What its channel shows. If its session can be read only much later, nobody can know that it took nothing. */
export function evidenceIn(
  { queue, handing, faults: { recordsMs } }: ModelTarget,
  text: string,
): TargetObservation['inChannel'] {
  if (queue.includes(text)) return 'held'
  if (handing.some((one) => one.text === text)) return 'unknown'
  return recordsMs === undefined || recordsMs > MOST_LAG_MS ? 'unknown' : 'absent'
}

/** Harnesses with a channel record a prompt as they take it. */
const MOST_LAG_MS = 2_000

function enter(target: ModelTarget, process: ModelProcess, at: number, random: () => number): void {
  if (process.mood === 'dialog') {
    process.mood = 'working'
    return
  }
  if (process.composer === '') return
  const text = process.composer
  process.composer = ''
  take(target, process, text, at, random)
}

function take(
  target: ModelTarget,
  process: ModelProcess,
  text: string,
  at: number,
  random: () => number,
): void {
  target.log.push({ text, at, isHooked: random() >= target.faults.losesHook })
  process.mood = 'working'
}
