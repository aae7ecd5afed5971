import { Hono } from 'hono'
import * as v from 'valibot'
import type { DismissView, SkipView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import { isSamePane } from '../../core/pane.ts'
import { isQueued, isWaiting, type QueuedSession } from '../../core/session/queue.ts'
import { labelOf, needsAnswer } from '../../core/session/wait-label.ts'
import { LONGEST_SNOOZE_MS } from '../../core/snooze-time.ts'
import { bodyOf } from '../../service/request-body.ts'
import type { Herd } from '../herd/herd.ts'
import type { Views } from '../views/views.ts'
import { type ItemTarget, itemTarget, namedItem } from './item-target.ts'
import { waitRoute } from './wait-route.ts'

export type QueueParts = { herd: Herd; views: Views; cooldownMs(): number }

const SkipBody = v.strictObject({
  ...itemTarget,
  cooldownMs: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_SNOOZE_MS)),
  ),
  /** Epoch ms: back at that time of the wall clock. */
  until: v.optional(v.pipe(v.number(), v.integer())),
  undo: v.optional(v.boolean()),
})

const DismissBody = v.strictObject({
  ...itemTarget,
  evenBlocked: v.optional(v.boolean()),
  undo: v.optional(v.boolean()),
})

/** What the operator does with items: skip, snooze, dismiss, and take it back. */
export function queueRoutes(parts: QueueParts): Hono {
  const routes = new Hono()
  routes.post('/skip', async (c) => {
    const request = await bodyOf(SkipBody, c.req.raw)
    await knowNames(parts, request)
    return c.json(skip(parts, request))
  })
  routes.post('/dismiss', async (c) => {
    const request = await bodyOf(DismissBody, c.req.raw)
    await knowNames(parts, request)
    return c.json(dismiss(parts, request))
  })
  routes.get('/wait', waitRoute(parts))
  return routes
}

/** A branch may have changed since somebody last looked. */
async function knowNames({ herd, views }: QueueParts, { target }: ItemTarget): Promise<void> {
  if (target !== undefined) await views.freshen(herd.current())
}

type SkipRequest = v.InferOutput<typeof SkipBody>

function skip(parts: QueueParts, request: SkipRequest): SkipView {
  const { herd, views } = parts
  const cooldown = cooldownOf(parts, request)
  const target = request.undo ? skippedLast(parts, request) : skipTarget(parts, request)
  if (target && request.undo) herd.restore(target.key)
  else if (target && !isSkippedHere(parts, target, request)) herd.skip(target.key, cooldown)
  const session = target && herd.session(target.key)
  return {
    skipped: session && isQueued(session) ? views.item(session) : null,
    head: views.jumpTarget() ?? null,
  }
}

function cooldownOf(
  { herd, cooldownMs }: QueueParts,
  request: SkipRequest,
): { cooldownMs: number; until?: number } {
  const { until } = request
  if (until === undefined) return { cooldownMs: request.cooldownMs ?? cooldownMs() }
  const remaining = Math.round(until - herd.clock.toWall(herd.clock.now()))
  if (request.cooldownMs === undefined && remaining > 0 && remaining <= LONGEST_SNOOZE_MS) {
    return { cooldownMs: remaining, until }
  }
  const message =
    request.cooldownMs === undefined
      ? `until: ${until} is not within the next 31 days.`
      : 'cooldownMs and until exclude each other.'
  throw new TrailBossError('BAD_REQUEST', message)
}

/** The named session, else the item in the named pane, else the head. */
function skipTarget({ herd, views }: QueueParts, request: SkipRequest): QueuedSession | undefined {
  const queue = herd.queue()
  const named = namedItem(views, queue, request)
  if (named) return named
  const head = views.jumpTarget() ?? views.queue().items.find((item) => item.ready)
  return queue.find(({ id, harness }) => id === head?.session && harness === head.harness)
}

/** The named one if it was skipped, else the one skipped last. */
function skippedLast({ herd, views }: QueueParts, request: SkipRequest): QueuedSession | undefined {
  const queue = herd.queue()
  const skipped = queue.filter(({ item }) => item.orderBeforeSkip !== undefined)
  const named = namedItem(views, queue, request, skipped)
  if (named) return skipped.find(({ key }) => key === named.key)
  return skipped.toSorted((a, b) => b.item.order - a.item.order)[0]
}

/** The skip key was pressed twice, or by two operators: nobody has seen the next item yet. */
function isSkippedHere(
  { views }: QueueParts,
  target: QueuedSession,
  { pane, cooldownMs, until }: SkipRequest,
): boolean {
  if (pane === undefined || cooldownMs !== undefined || until !== undefined) return false
  return isSamePane(target.pane, pane) && !views.item(target).ready
}

type DismissRequest = v.InferOutput<typeof DismissBody>

function dismiss(parts: QueueParts, request: DismissRequest): DismissView {
  const { herd, views } = parts
  const target = request.undo ? dismissedLast(parts, request) : dismissTarget(parts, request)
  if (target && request.undo) herd.recall(target.key)
  else if (target) herd.dismiss(target.key)
  const session = target && herd.session(target.key)
  return {
    dismissed: session && isWaiting(session) ? views.item(session) : null,
    head: views.jumpTarget() ?? null,
  }
}

function dismissTarget({ herd, views }: QueueParts, request: DismissRequest): QueuedSession {
  const named = namedItem(views, [...herd.queue(), ...herd.dismissed()], request)
  if (!named) throw new TrailBossError('BAD_REQUEST', 'Name what to dismiss: a session or a pane.')
  const { reason } = named.verdict
  if (!request.evenBlocked && needsAnswer({ reason, label: labelOf(named.verdict) })) {
    throw new TrailBossError('STILL_BLOCKED', 'It waits for an answer.', {
      hint: 'D in the popup, or --even-blocked, dismisses it all the same.',
    })
  }
  return named
}

/** The named one, else the one dismissed last. */
function dismissedLast(
  { herd, views }: QueueParts,
  request: DismissRequest,
): QueuedSession | undefined {
  const dismissed = herd.dismissed()
  const named = namedItem(views, [...herd.queue(), ...dismissed], request, dismissed)
  return named ? dismissed.find(({ key }) => key === named.key) : dismissed[0]
}
