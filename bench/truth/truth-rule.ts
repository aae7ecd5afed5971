import type { Seen } from './witness.ts'

/**
 * The true state. `stuck`: it waits for the human. `fresh`: nobody has asked it anything since it started or
 * was cleared, so it waits for nothing yet. `gone`: the process has exited.
 */
export type Truth = 'stuck' | 'working' | 'fresh' | 'gone'

export type Stretch<State> = { from: number; to: number; state: State }

/** A key that the script pressed. */
export type Key = { at: number; pane: string; keys: string[] }

/** One process from its first screen to its exit. */
export type Life = {
  name: string
  pane: string
  startedAt: number
  /** When the process was gone. */
  endedAt: number | undefined
  /** When the script was done with it; what it does later is ignored. */
  leftAt: number
  /** When Enter was pressed on `/clear`, after which it is like a newly started session. */
  clearedAt: number[]
  /** It runs in the background and had a prompt from the start: its pane shows it only at times. */
  isUnseen?: boolean
  /** The ids of its sessions, as the script chose them or as the model received them. */
  sessions: Set<string>
}

const ANSWERS = new Set(['Enter', 'Escape', 'C-c'])
/** A key shows its effect within this time, or it had none. */
const EFFECT_MS = 8_000
/** Between two queued turns the program shows an idle prompt for about 25 ms. */
const FLICKER_MS = 100
/** How long we keep looking in the queue for a session that is gone. */
const GONE_MS = 10_000

/**
 * The rule for the moments between a key and its effect, and between an effect and the screen that shows it:
 * - an answer counts from the key press, because from then on nobody waits;
 * - a wait counts from when the screen shows it, because nobody can know earlier;
 * - an end counts from when the process is gone.
 */
export function truthOf(life: Life, seen: Seen[], keys: Key[]): Stretch<Truth>[] {
  const end = life.endedAt ?? life.leftAt
  const looks = withoutFlicker(
    seen.filter(({ at, look }) => at >= life.startedAt && at < end && look !== 'shell'),
    keys,
  )
  const changes: { at: number; state: Truth }[] = []
  let hasBegun = false
  for (const [index, { at, look }] of looks.entries()) {
    const previous = looks[index - 1]
    const answeredAt = (previous && answerTo(previous, at, keys)?.at) ?? at
    const cleared = life.clearedAt.filter(
      (time) => time <= answeredAt && time > (previous?.at ?? 0),
    )
    for (const time of cleared) changes.push({ at: time, state: 'fresh' })
    // Clearing is not work of the new session.
    const works = look === 'working' && !cleared.includes(answeredAt)
    hasBegun = works || (hasBegun && cleared.length === 0)
    const waits = look === 'dialog' || look === 'suspended' || hasBegun ? 'stuck' : 'fresh'
    const state = works ? 'working' : waits
    changes.push({ at: state === 'stuck' ? at : answeredAt, state })
  }
  const lastLookAt = looks.at(-1)?.at ?? 0
  for (const time of life.clearedAt) {
    if (time > lastLookAt && time < end) changes.push({ at: time, state: 'fresh' })
  }
  if (life.endedAt === undefined) return stretchesOf(changes, end)
  return stretchesOf([...changes, { at: end, state: 'gone' }], end + GONE_MS)
}

/** The key that ended the wait shown from `previous` until `at`. */
export function answerTo(previous: { at: number }, at: number, keys: Key[]): Key | undefined {
  return keys.findLast(
    (key) =>
      key.at <= at &&
      key.at >= previous.at &&
      at - key.at < EFFECT_MS &&
      key.keys.some((name) => ANSWERS.has(name)),
  )
}

/** Merges neighbours with the same state, and drops empty stretches. */
export function stretchesOf<State>(
  changes: { at: number; state: State }[],
  until: number,
): Stretch<State>[] {
  const stretches: Stretch<State>[] = []
  for (const { at, state } of changes) {
    const last = stretches.at(-1)
    if (last?.state === state) continue
    if (last) last.to = Math.max(at, last.from)
    if (at < until) stretches.push({ from: at, to: until, state })
  }
  return stretches.filter(({ from, to }) => to > from)
}

function withoutFlicker(looks: Seen[], keys: Key[]): Seen[] {
  const kept: Seen[] = []
  for (const [index, look] of looks.entries()) {
    const next = looks[index + 1]
    const isShort = next !== undefined && next.at - look.at < FLICKER_MS
    const isBetweenWork = kept.at(-1)?.look === 'working' && next?.look === 'working'
    if (isShort && isBetweenWork && look.look === 'prompt' && !answerTo(look, next.at, keys)) {
      continue
    }
    if (kept.at(-1)?.look !== look.look) kept.push(look)
  }
  return kept
}
