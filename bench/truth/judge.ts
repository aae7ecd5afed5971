import type { QueueItem } from '../../src/contract/responses.ts'
import type { Witnessed } from '../../test/real-client/support/model/model-dialect.ts'
import type { Performance } from './performance.ts'
import type { RecordedHook } from './recording.ts'
import type { Listing } from './replay.ts'
import { firstAt, length, liesOf, listedStretches, type Track } from './score.ts'
import { answerTo, type Key, type Life, type Stretch, type Truth, truthOf } from './truth-rule.ts'
import { collectLags, isShown, type Lags, withUnseen } from './unseen.ts'
import type { Seen } from './witness.ts'

/** A life with everything that was noted about it. */
export type Judged = Track & { life: Life; seen: Seen[]; keys: Key[] }

/** Milliseconds, one for each occurrence. */
export type Latencies = {
  /** The hook's process started → listed. */
  hookToListed: number[]
  /** The screen showed that it waits → listed; negative if a hook was quicker than the screen. */
  stuckToListed: number[]
  /** The human's key → no longer listed, or no longer listed for a permission if the session then rests. */
  keyToGone: number[]
  /** Waits that were never listed, and answers that never removed their item. */
  missed: number
}

/** Hooks that report a wait the moment it begins. */
const WAIT_HOOKS = new Set(['Stop', 'StopFailure', 'PermissionRequest', 'Elicitation'])
/** A hook and the screen that shows what it reports are at most this far apart. */
const SAME_MOMENT_MS = 1_000

/** Judges the queue of the daemon that ran alongside. */
export function judgeQueue(performance: Performance): Judged[] {
  return judged(performance, (life) =>
    performance.queue.map(({ at, items }) => ({
      at,
      isListed: items.some((item) => lifeOf(item, at, performance) === life),
    })),
  )
}

/** Judges the queue that some of the sources alone would have produced. */
export function judgeListings(performance: Performance, listings: Listing[]): Judged[] {
  return judged(performance, (life) =>
    listings.map(({ at, sessions }) => ({
      at,
      isListed: [...sessions].some((id) => lifeWithSession(id, at, performance) === life),
    })),
  )
}

/** Seconds in which the queue held an item without a session, or a session twice. */
export function straySeconds(performance: Performance): number {
  const { queue, endedAt } = performance
  return queue.reduce((sum, { at, items }, index) => {
    const owners = items.map((item) => lifeOf(item, at, performance))
    const strays = owners.filter((life, nth) => !life || owners.indexOf(life) !== nth)
    return sum + (strays.length * ((queue[index + 1]?.at ?? endedAt) - at)) / 1_000
  }, 0)
}

/** Seconds in which the screen was at rest while the model still answered: the witnesses disagree. */
export function disagreedSeconds(performance: Performance): number {
  let sum = 0
  for (const { life, seen } of judgeQueue(performance)) {
    for (const { at, endedAt = endOf(life) } of requestsOf(life, performance)) {
      for (const [index, look] of seen.entries()) {
        if (look.look !== 'prompt') continue
        const to = Math.min(seen[index + 1]?.at ?? endOf(life), endedAt, endOf(life))
        // The turn began with the key, but the screen may take 300 ms to show it.
        sum += Math.max(0, to - Math.max(look.at, at + 300)) / 1_000
      }
    }
  }
  return sum
}

/** Of the wrong seconds, those between a key and the first screen that shows its effect. */
export function unshownSeconds(judgedLives: Judged[]): number {
  const unshown = judgedLives.flatMap(({ name, truth, listed, seen }) => {
    const moments = truth.flatMap(({ from, state }) => {
      const shownAt = seen.find(({ at }) => at >= from)?.at ?? from
      return state === 'stuck' || state === 'gone' ? [] : [{ from, to: shownAt, state }]
    })
    return liesOf([{ name, truth: moments, listed }])
  })
  return unshown.reduce((sum, lie) => sum + length(lie), 0) / 1_000
}

export function latenciesOf(judgedLives: Judged[], performance: Performance): Latencies {
  const found: Latencies = { hookToListed: [], stuckToListed: [], keyToGone: [], missed: 0 }
  for (const judgedLife of judgedLives) {
    waitsBegin(judgedLife, performance.hooks, found)
    waitsEnd(judgedLife, found)
    permissionsEnd(judgedLife, performance, found)
  }
  return found
}

function waitsBegin(
  { life, truth, listed }: Judged,
  hooks: RecordedHook[],
  found: Latencies,
): void {
  for (const [index, { from, to, state }] of truth.entries()) {
    if (state !== 'stuck' || index === 0) continue
    const hook = hooks.find(
      ({ at, payload, pane }) =>
        (pane === life.pane || life.sessions.has(payload.session_id)) &&
        WAIT_HOOKS.has(payload.hook_event_name) &&
        Math.abs(at - from) < SAME_MOMENT_MS,
    )
    const toldAt = Math.min(from, hook?.at ?? from)
    const listedAt = firstAt(listed, true, toldAt, to)
    if (listedAt === undefined) found.missed += 1
    else {
      found.stuckToListed.push(listedAt - from)
      if (hook) found.hookToListed.push(Math.max(0, listedAt - hook.at))
    }
  }
}

function waitsEnd({ truth, listed, keys }: Judged, found: Latencies): void {
  for (const [index, { from, to, state }] of truth.entries()) {
    const before = truth[index - 1]
    if (before?.state !== 'stuck' || state === 'gone' || state === 'stuck') continue
    if (!keys.some(({ at }) => at === from)) continue
    const goneAt = firstAt(listed, false, from, to)
    if (goneAt === undefined) found.missed += 1
    else found.keyToGone.push(goneAt - from)
  }
}

/** After a refused permission the session stays in the queue but no longer asks for anything. */
function permissionsEnd(
  { life, seen, keys }: Judged,
  performance: Performance,
  found: Latencies,
): void {
  for (const [index, look] of seen.entries()) {
    const before = seen[index - 1]
    if (look.look !== 'prompt' || before?.look !== 'dialog') continue
    const key = answerTo(before, look.at, keys)
    if (!key) continue
    const next = performance.queue.find(
      ({ at, items }) =>
        at >= key.at &&
        !items.some(
          (item) => item.reason === 'permission' && lifeOf(item, at, performance) === life,
        ),
    )
    if (next) found.keyToGone.push(next.at - key.at)
    else found.missed += 1
  }
}

function judged(
  performance: Performance,
  sightsOf: (life: Life) => { at: number; isListed: boolean }[],
): Judged[] {
  const { diary, endedAt } = performance
  const lags = lagsOf(performance)
  return diary.lives.map((life) => {
    const onScreen = onScreenOf(life, performance)
    const seen = life.isUnseen
      ? withUnseen(life, onScreen, requestsOf(life, performance), lags)
      : onScreen
    const keys = diary.keys.filter(
      ({ pane, at }) => pane === life.pane && (!life.isUnseen || isShown(onScreen, at)),
    )
    const truth = cutAt(truthOf(life, seen, keys), Math.min(endedAt, nextStart(life, diary.lives)))
    return {
      name: life.name,
      life,
      seen,
      keys,
      truth,
      listed: listedStretches(sightsOf(life), endedAt),
    }
  })
}

/** A session that comes back under the same name ends the search for the one that is gone. */
function nextStart(life: Life, lives: Life[]): number {
  const next = lives.find((other) => other.startedAt > life.startedAt && other.pane === life.pane)
  return next?.startedAt ?? Number.POSITIVE_INFINITY
}

function cutAt(truth: Stretch<Truth>[], end: number): Stretch<Truth>[] {
  return truth
    .map((stretch) => ({ ...stretch, to: Math.min(stretch.to, end) }))
    .filter(({ from, to }) => to > from)
}

function endOf(life: Life): number {
  return life.endedAt ?? life.leftAt
}

function lifeOf(item: QueueItem, at: number, performance: Performance): Life | undefined {
  const known = lifeWithSession(item.session, at, performance)
  if (known) return known
  return performance.diary.lives.findLast(
    ({ pane, startedAt }) => pane === item.pane?.id && startedAt <= at,
  )
}

function lifeWithSession(id: string, at: number, { diary }: Performance): Life | undefined {
  return diary.lives.findLast(({ sessions, startedAt }) => sessions.has(id) && startedAt <= at)
}

function onScreenOf(life: Life, { seen }: Performance): Seen[] {
  return (seen.get(life.pane) ?? []).filter(({ at }) => at >= life.startedAt && at < endOf(life))
}

/** How long after the model's answer this run's screens showed what followed. */
export function lagsOf(performance: Performance): Lags {
  const lags: Lags = { dialog: [], prompt: [] }
  for (const life of performance.diary.lives) {
    collectLags(onScreenOf(life, performance), requestsOf(life, performance), lags)
  }
  return lags
}

function requestsOf(life: Life, { requests }: Performance): Witnessed[] {
  return requests.filter(
    ({ prompt, at }) => isPromptOf(life, prompt) && at >= life.startedAt && at < endOf(life),
  )
}

/** The prompts of a lane carry its name. */
function isPromptOf({ name }: Life, prompt: string): boolean {
  return prompt.includes(`Task ${name}-`)
}

/** The ids that a session had along the way: those sent to the model, or to a hook in its pane. */
export function nameSessions({ diary, requests, hooks }: Performance): void {
  for (const { at, session, prompt } of requests) {
    const life = diary.lives.findLast((one) => isPromptOf(one, prompt) && one.startedAt <= at)
    if (session) life?.sessions.add(session)
  }
  for (const { at, pane, payload } of hooks) {
    diary.lives
      .findLast((one) => one.pane === pane && one.startedAt <= at)
      ?.sessions.add(payload.session_id)
  }
}
