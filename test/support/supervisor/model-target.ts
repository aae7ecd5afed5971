import type { Ack } from '../../../src/core/supervisor/trigger/ack.ts'
import type { ComposerSight } from '../../../src/core/supervisor/trigger/composer.ts'

/**
 * An agent as a delivery meets it: it has a composer, works, shows dialogs, eats pastes and Enters, is slow,
 * and dies. It keeps its own log of what it took, which outlives its processes as a session does.
 */
export type ModelTarget = {
  process: ModelProcess | undefined
  /** Every prompt that it took, whoever gave it. This is the truth that deliveries are measured by. */
  log: { text: string; at: number; isHooked: boolean }[]
  /** What its own channel holds until it has time. It survives the process. */
  queue: string[]
  heartbeatAt: number | undefined
  /** When its last process ended. */
  endedAt: number
  /** When processes ended that nobody had asked to, and not as they should. */
  crashes: number[]
  /** How often there was a reason to count a failure: crashes, starts that came to nothing. */
  mishaps: number
  faults: ModelFaults
}

type ModelProcess = {
  startedAt: number
  /** When it can be seen to be the agent; never, where it hangs at its start. */
  shownAt: number
  mood: 'idle' | 'working' | 'dialog'
  composer: string
  /** What was typed and has not come through yet. */
  inputs: { at: number; what: 'enter' | { paste: string } | { prompt: string } }[]
  isAskedToEnd: boolean
  /** It was seen by the supervisor to run, and has no prompt by its launch that it would have to take. */
  isReady: boolean
}

export type ModelFaults = {
  eatsPaste: number
  eatsEnter: number
  /** How long it takes until what is typed shows. */
  lagMs: number
  losesHook: number
  /** How long after the end of the process its session can be read; undefined: it cannot. */
  recordsMs: number | undefined
  hangsAtStart: number
  diesAtStart: number
  /** How often tmux refuses, or fails before or after it has done what it was asked. */
  tmuxFails: number
}

export function newTarget(faults: ModelFaults): ModelTarget {
  return {
    process: undefined,
    log: [],
    queue: [],
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

/** What has come through by now, is. */
export function settleInputs(target: ModelTarget, now: number, random: () => number): void {
  const { process } = target
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

/** Its session can be read while it lives as well, where it can be read at all. */
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
