import type { Handler } from 'hono'
import { WAIT_STATES, type WaitState, type WaitView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { SessionKey } from '../../core/session/event.ts'
import { isQueued, isReady } from '../../core/session/queue.ts'
import type { Herd } from '../herd/herd.ts'
import type { Views } from '../views/views.ts'
import { untilChange, waitSeconds } from './until-change.ts'

/** Holds the request until a session is in that state or has ended, or any is stuck; answers at once if it is so already. */
export function waitRoute({ herd, views }: { herd: Herd; views: Views }): Handler {
  return async (c) => {
    const { target, socket, for: state = '' } = c.req.query()
    if (!isWaitState(state)) {
      throw new TrailBossError('BAD_REQUEST', `for: must be one of ${WAIT_STATES.join(', ')}.`)
    }
    if ((target === undefined) !== (state === 'any-stuck')) {
      const message = 'A session is named for every state but any-stuck.'
      throw new TrailBossError('BAD_REQUEST', `target: ${message}`)
    }
    if (target !== undefined) await views.freshen(herd.current())
    const key = target === undefined ? undefined : views.find(target, { socket }).key
    let view = waitView(herd, views, state, key)
    const isKnown = () => view.happened || (key !== undefined && isOver(view))
    // It may be over again by the time this is answered.
    const look = (): boolean => {
      view = waitView(herd, views, state, key)
      return isKnown()
    }
    if (!isKnown()) {
      const ms = waitSeconds(c.req.query('wait')) * 1_000
      await untilChange(herd, look, ms, c.req.raw.signal)
    }
    return c.json(view)
  }
}

function isOver({ session }: WaitView): boolean {
  return session === null || session.state === 'ended'
}

function isWaitState(word: string): word is WaitState {
  return (WAIT_STATES as readonly string[]).includes(word)
}

function waitView(
  herd: Herd,
  views: Views,
  state: WaitState,
  key: SessionKey | undefined,
): WaitView {
  if (state === 'any-stuck') {
    const [head] = herd.queue().filter((item) => isReady(item, herd.clock.now()))
    const item = head ? views.item(head) : null
    return { happened: item !== null, item, session: head ? views.session(head) : null }
  }
  const session = key === undefined ? undefined : herd.session(key)
  if (!session) return { happened: state === 'ended', item: null, session: null }
  const item = isQueued(session) ? views.item(session) : null
  const happened = state === 'stuck' ? item !== null : session.verdict.state === state
  return { happened, item, session: views.session(session) }
}
