import * as v from 'valibot'
import { TrailBossError } from '../../core/errors.ts'
import { isSamePane } from '../../core/pane.ts'
import type { QueuedSession } from '../../core/session/queue.ts'
import type { Views } from '../views/views.ts'

/** The fields that name an item: a session, a pane, or a word that may be either, as `explain` takes it. */
export const itemTarget = {
  session: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(512))),
  harness: v.optional(v.pipe(v.string(), v.maxLength(64))),
  pane: v.optional(v.object({ socket: v.string(), id: v.string() })),
  target: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(512))),
  /** The tmux server on which a pane's id is looked up first. */
  socket: v.optional(v.string()),
}

const TargetSchema = v.object(itemTarget)

export type ItemTarget = v.InferOutput<typeof TargetSchema>

/** The one that is meant among these, `rather` first; undefined if nothing is named. Throws `NOT_FOUND`. */
export function namedItem(
  views: Pick<Views, 'find'>,
  among: readonly QueuedSession[],
  request: ItemTarget,
  rather?: readonly QueuedSession[],
): QueuedSession | undefined {
  const { session, harness, pane, target, socket } = request
  if (target !== undefined) {
    const { key, id } = views.find(target, { socket, rather })
    return among.find((one) => one.key === key) ?? notListed(id)
  }
  if (session !== undefined) {
    const isNamed = (one: QueuedSession) =>
      one.id === session && (harness ?? one.harness) === one.harness
    return among.find(isNamed) ?? notListed(session)
  }
  if (!pane) return undefined
  const here = among.find((one) => isSamePane(one.pane, pane))
  if (here) return here
  throw new TrailBossError('NOT_FOUND', `No stuck session is in pane ${pane.id}.`, {
    hint: 'Without a pane, the oldest one is meant.',
  })
}

function notListed(session: string): never {
  throw new TrailBossError('NOT_FOUND', `No stuck session "${session}" is in the queue.`, {
    hint: 'See what is in it: trailboss list --all',
  })
}
