import type { DispatchLogsView, DispatchView } from '../../contract/dispatch.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { type Dispatch, isOver } from '../../core/supervisor/dispatch/dispatch.ts'
import { paneIn, targetOf } from '../../core/supervisor/runtime/runtime.ts'
import { displayText, truncate } from '../../core/text.ts'
import { listAudit } from '../../store/tables/audit.ts'
import { paneTail } from '../../tmux/pane-tail.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { DispatchObserver } from './dispatch-observer.ts'
import { policyOfDispatch } from './dispatch-plan.ts'

export type DispatchViews = {
  view(dispatch: Dispatch): DispatchView
  logs(dispatch: Dispatch, lines: number): Promise<DispatchLogsView>
}

const MOST_ASK_CHARS = 4_000
const MOST_LINES = 500

export function createDispatchViews(
  context: SupervisorContext,
  registry: Registry,
  observer: DispatchObserver,
): DispatchViews {
  const { clock, db } = context
  const wall = (at: number) => Math.round(clock.toWall(at))
  const wallOrNull = (at: number | undefined) => (at === undefined ? null : wall(at))

  return {
    view(dispatch) {
      const { workspaceId, name, pressed } = dispatch
      const runtime = registry.find(dispatch.runtimeId)
      const pane = runtime && paneIn(runtime)
      const verdict = observer.sessionOf(observer.runtimeOf(dispatch))?.verdict
      const waiting =
        dispatch.state === 'waiting' ||
        (dispatch.state === 'reviewing' && dispatch.why !== undefined)
      const wanted = waiting && verdict?.state === 'stuck' ? verdict.ask.text : undefined
      const ask = wanted === undefined ? null : truncate(displayText(wanted), MOST_ASK_CHARS)
      return {
        id: dispatch.id,
        name,
        agent: dispatch.agentId,
        workspace: workspaceId,
        runtimeId: dispatch.runtimeId,
        harness: dispatch.harness,
        cwd: dispatch.cwd,
        policy: policyOfDispatch(context, dispatch),
        reviewer: dispatch.reviewer ?? null,
        state: dispatch.state,
        stateSince: wall(dispatch.stateAt),
        why: dispatch.why ?? null,
        startedAt: wall(dispatch.startedAt),
        validatedAt: wallOrNull(dispatch.validatedAt),
        endedAt: wallOrNull(dispatch.endedAt),
        trigger: dispatch.triggerId ?? null,
        reviewTrigger: dispatch.reviewTriggerId ?? null,
        waiting,
        ask,
        canAccept: observer.canAccept(dispatch),
        result: dispatch.result ?? null,
        review: dispatch.review ?? null,
        session: runtime?.sessionId ?? dispatch.sessionId ?? null,
        target: runtime ? targetOf(runtime) : `agents_${workspaceId}:${name}.0`,
        pane: pane ?? null,
        pressed: isOver(dispatch) ? 0 : (pressed?.times ?? 0),
      }
    },
    async logs(dispatch, lines) {
      const { runtimeId, name, state, screen } = dispatch
      const runtime = registry.find(runtimeId)
      const pane = runtime && paneIn(runtime)
      const tail = pane && (await paneTail(pane, Math.min(lines, MOST_LINES)))
      const page = listAudit(db, { runtimeId }, { limit: MOST_LINES })
      return {
        name,
        state,
        lines: page.lines.toReversed(),
        screen:
          tail === undefined
            ? screen
              ? { at: wall(screen.at), live: false, text: screen.text }
              : null
            : { at: wall(clock.now()), live: true, text: redacted(displayText(tail)) },
      }
    },
  }
}
