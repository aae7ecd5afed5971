import { messageOf } from '../../core/errors.ts'
import {
  DISPATCH_REASON,
  type Dispatch,
  reviewReason,
} from '../../core/supervisor/dispatch/dispatch.ts'
import type { DispatchAction } from '../../core/supervisor/dispatch/dispatch-step.ts'
import { isAtRest, paneIn } from '../../core/supervisor/runtime/runtime.ts'
import type { KeyedMutex } from '../../service/keyed-mutex.ts'
import { pressKey } from '../../tmux/write/guarded-write.ts'
import { OURSELVES } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { Runtimes } from '../runtimes/runtimes.ts'
import type { Triggers } from '../triggers/triggers.ts'
import type { DispatchLook, DispatchObserver } from './dispatch-observer.ts'
import type { DispatchRecords } from './dispatch-records.ts'
import { reviewPrompt } from './dispatch-review.ts'

/** Carries out the decision of a step, which is stored by then. */
export type DispatchActions = {
  carryOut(dispatch: Dispatch, act: DispatchAction, decided: DispatchLook): Promise<void>
  /** Throws if it cannot be started at all. */
  start(dispatch: Dispatch): Promise<void>
}

export type DispatchActParts = {
  registry: Registry
  runtimes: Runtimes
  triggers: Triggers
  observer: DispatchObserver
  records: DispatchRecords
  /** The lock on runtimes: nobody else writes there in the meantime. */
  mutex: KeyedMutex
}

export function createDispatchActions(parts: DispatchActParts): DispatchActions {
  const { registry, runtimes, triggers, observer, records, mutex } = parts

  const start = async (dispatch: Dispatch): Promise<void> => {
    try {
      await runtimes.start(dispatch.agentId, dispatch.by)
    } catch (error) {
      records.end(dispatch, { state: 'failed', why: messageOf(error) })
      throw error
    }
  }

  const send = (dispatch: Dispatch): void => {
    const { agentId, prompt, by } = dispatch
    try {
      triggers.create({ agentId, reason: DISPATCH_REASON, text: prompt, shape: 'lines', by })
    } catch (error) {
      records.end(dispatch, { state: 'failed', why: messageOf(error) })
    }
  }

  /** Only if the screen is still the one decided on, and nothing is being delivered there. */
  const press = (
    dispatch: Dispatch,
    { key, as }: Extract<DispatchAction, { kind: 'press' }>,
    decided: DispatchLook,
  ): Promise<void> =>
    mutex.run(dispatch.runtimeId, async () => {
      const { observed, runtime, screen } = await observer.look(dispatch)
      const pane = runtime && paneIn(runtime)
      const isSame =
        observed.screen === decided.observed.screen && observed.dialog === decided.observed.dialog
      if (!pane || observed.isTouched || !isSame) return
      const pressed = await pressKey(pane, key, screen?.cursor)
      const result = pressed.kind === 'sent' ? 'ok' : `${pressed.kind}: ${pressed.why}`
      const detail = `${key} (${as})`
      records.audit(dispatch, { kind: 'key_pressed', actor: OURSELVES, result, detail })
    })

  const review = async (dispatch: Dispatch): Promise<void> => {
    const { reviewer } = dispatch
    if (reviewer === undefined) return
    try {
      const runtime = registry.ofAgent(reviewer)
      if (!runtime || isAtRest(runtime)) await runtimes.start(reviewer, OURSELVES)
      triggers.create({
        agentId: reviewer,
        reason: reviewReason(dispatch),
        text: reviewPrompt(dispatch),
        shape: 'lines',
        by: OURSELVES,
      })
    } catch (error) {
      const why = `Its reviewer got no message. ${messageOf(error)}`
      records.end(dispatch, { state: 'done', why })
    }
  }

  return {
    start,
    async carryOut(dispatch, act, decided) {
      switch (act.kind) {
        case 'none':
          return
        case 'start':
          return start(dispatch)
        case 'send':
          return send(dispatch)
        case 'press':
          return press(dispatch, act, decided)
        case 'review':
          return review(dispatch)
        default:
          return act satisfies never
      }
    },
  }
}
