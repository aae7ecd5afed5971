import type { LiftedEpisode, Outcome } from '../session/episode.ts'

/**
 * When a client that drains may be taken to the next head by itself: only from the pane that its last Next went to and
 * that it has not left since, only after its own answer there, only after a quiet second. Whatever is unclear moves
 * nobody.
 */
export type DrainState =
  /** It is elsewhere, or we cannot know: only another Next than this one changes that. */
  | { kind: 'paused'; arrival: string }
  /** It is where its Next went. `settled`: the wait there ended, by itself as far as we know. */
  | (Arrived & { kind: 'watching'; settled?: Resolution })
  /** The wait there has just been answered: the next look shows by whom. */
  | (Arrived & { kind: 'resolved'; by: Resolution })
  /** This client answered it; `key` is the second of its last key then. */
  | (Arrived & { kind: 'answered'; by: Resolution; key: number })

/** `at`: the second of the Next. `keys`: the last two seconds in which it was seen to press a key, the later one first. */
type Arrived = { arrival: string; pane: string; at: number; keys: Keys }
type Keys = readonly [last: number, before: number]
/** `at`: epoch ms. */
type Resolution = { episode: number; at: number }

/** A look at one client. tmux counts in seconds. */
export type DrainLook = {
  /** When it began, epoch ms. */
  now: number
  pane: string
  /** The second of its last key. */
  key: number
  /** The same for others who look at this pane. */
  othersKey: number | undefined
  /** It is in the middle of something: copy mode, half of a key sequence. */
  isBusy: boolean
  /** Where its last Next went, and when: `%5 1789000000`; empty if it went elsewhere since, by Back or the popup. */
  arrival: string
}

/** How long after the last key an agent may report the answer. */
const ANSWER_TAKES_MS = 5_000
/** The same where there were several keys: a late report may be about an earlier one, and the operator types on. */
const ANSWER_AMONG_KEYS_TAKES_MS = 2_000
const QUIET_MS = 1_000

/** The first look at a client takes no Next for a new one: it may have wandered since. */
export function firstLook({ arrival }: DrainLook): DrainState {
  return { kind: 'paused', arrival }
}

/** `isDue`: it may be taken to the next head now, or never for this answer. */
export function afterLook(
  state: DrainState,
  look: DrainLook,
): { state: DrainState; isDue: boolean } {
  const here = whereabouts(state, look)
  switch (here.kind) {
    case 'paused':
    case 'watching':
      return { state: here, isDue: false }
    case 'resolved':
      // The look began before it, and so perhaps before the last key.
      if (look.now < here.by.at) return { state: here, isDue: false }
      return afterLook(isOwnAnswer(here, look) ? answered(here, look.key) : watching(here), look)
    case 'answered': {
      // A key since then: the operator goes on here.
      if (look.key !== here.key) return { state: watching(here), isDue: false }
      if (look.isBusy || !isQuiet(look)) return { state: here, isDue: false }
      return { state: watching(here), isDue: true }
    }
    default:
      return here satisfies never
  }
}

/** The wait in this pane has ended. */
export function afterResolution(
  state: DrainState,
  { pane, outcome, ...by }: Resolution & { pane: string; outcome: Outcome },
): DrainState {
  if (state.kind === 'paused' || state.pane !== pane) return state
  switch (outcome) {
    case 'answered':
      return { ...arrived(state), kind: 'resolved', by }
    case 'settled':
      return { ...watching(state), settled: by }
    case 'dismissed':
    case 'ended':
      return watching(state)
    default:
      return outcome satisfies never
  }
}

/** We know more about how an earlier wait ended. */
export function afterRevision(
  state: DrainState,
  { episode, outcome }: Pick<LiftedEpisode, 'episode' | 'outcome'>,
): DrainState {
  switch (state.kind) {
    case 'paused':
      return state
    case 'watching': {
      const { settled } = state
      if (settled?.episode !== episode || outcome !== 'answered') return state
      return { ...arrived(state), kind: 'resolved', by: settled }
    }
    case 'resolved':
    case 'answered':
      return state.by.episode === episode && outcome !== 'answered' ? watching(state) : state
    default:
      return state satisfies never
  }
}

/** Where it is after this look: the same as before, arrived by another Next, or away. */
function whereabouts(state: DrainState, { arrival, pane, key }: DrainLook): DrainState {
  if (arrival !== state.arrival) {
    const [, there, at] = /^(%\d+) (\d+)$/.exec(arrival) ?? []
    if (there !== pane) return { kind: 'paused', arrival }
    return { kind: 'watching', arrival, pane, at: Number(at), keys: [key, Number(at)] }
  }
  if (state.kind === 'paused') return state
  if (state.pane === pane) return { ...state, keys: keysAfter(state.keys, key) }
  return { kind: 'paused', arrival }
}

function keysAfter(keys: Keys, key: number): Keys {
  return key === keys[0] ? keys : [key, keys[0]]
}

/** The second of the Next itself does not count: that was its key. */
function isOwnAnswer(
  { at, by, keys }: Extract<DrainState, { kind: 'resolved' }>,
  { key, othersKey }: DrainLook,
): boolean {
  const isWithin = (second: number, ms: number) =>
    second > at && second * 1_000 <= by.at && by.at - second * 1_000 <= ms
  const isOneOfSeveral = isWithin(keys[1], ANSWER_TAKES_MS)
  const takes = isOneOfSeveral ? ANSWER_AMONG_KEYS_TAKES_MS : ANSWER_TAKES_MS
  return isWithin(key, takes) && (othersKey === undefined || othersKey < key)
}

/** The key may have come at the end of its second. */
function isQuiet({ now, key }: DrainLook): boolean {
  return now >= (key + 1) * 1_000 + QUIET_MS
}

function answered(
  state: Extract<DrainState, { kind: 'resolved' }>,
  key: number,
): Extract<DrainState, { kind: 'answered' }> {
  return { ...state, kind: 'answered', key }
}

function watching(state: Arrived): Extract<DrainState, { kind: 'watching' }> {
  return { ...arrived(state), kind: 'watching' }
}

function arrived({ arrival, pane, at, keys }: Arrived): Arrived {
  return { arrival, pane, at, keys }
}
