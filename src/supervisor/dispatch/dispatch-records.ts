import { redactedScreen } from '../../core/redact/redaction.ts'
import {
  type Dispatch,
  type DispatchEnd,
  endedDispatch,
  isOver,
} from '../../core/supervisor/dispatch/dispatch.ts'
import { paneIn } from '../../core/supervisor/runtime/runtime.ts'
import { displayText } from '../../core/text.ts'
import { listDispatches, readDispatch, saveDispatch } from '../../store/tables/dispatches.ts'
import { type AuditEntry, audit, OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import { frozenOutput } from '../triage/hang-item.ts'

/** Stored dispatches with their audit; the queue follows them. */
export type DispatchRecords = {
  /** Dispatches that have not ended. */
  running(): readonly Dispatch[]
  read(id: string): Dispatch | undefined
  save(before: Dispatch | undefined, after: Dispatch, told?: SaveOptions): void
  /** Harmless for one that has already ended. */
  end(dispatch: Dispatch, end: DispatchEnd, by?: string): void
  /** Shows the operator what only they can settle, or that it is settled. */
  escalate(dispatch: Dispatch): void
  audit(dispatch: Dispatch, entry: AuditEntry): void
}

type SaveOptions = {
  by?: string
  /** What its agent shows; saved whenever the state changes. */
  screen?: readonly string[] | undefined
}

export function createDispatchRecords(
  context: SupervisorContext,
  registry: Registry,
  ended: (dispatch: Dispatch) => void,
): DispatchRecords {
  const { db, clock, escalations, log } = context
  let known: readonly Dispatch[] | undefined

  const auditOf = ({ agentId, runtimeId, triggerId }: Dispatch, entry: AuditEntry) =>
    audit(context, { agentId, runtimeId, ...(triggerId && { triggerId }), ...entry })

  const save: DispatchRecords['save'] = (before, after, { by = OURSELVES, screen } = {}) => {
    const { state, why } = after
    const hasMoved = before?.state !== state
    const isSeen = hasMoved && screen !== undefined && before?.state !== 'reviewing'
    const sessionId = registry.find(after.runtimeId)?.sessionId ?? after.sessionId
    const text = isSeen ? redactedScreen(displayText(screen.join('\n'))) : undefined
    const kept: Dispatch = {
      ...after,
      sessionId,
      ...(text !== undefined && { screen: { at: clock.now(), text } }),
    }
    if (JSON.stringify(before) === JSON.stringify(kept)) return
    known = undefined
    registry.change(() => {
      saveDispatch(db, kept)
      if (!before) auditOf(after, { kind: 'dispatch_started', ...begun(after) })
      if (!hasMoved || !isOver(after)) return
      const result = state === 'done' ? 'ok' : state
      auditOf(after, { kind: 'dispatch_ended', actor: by, result, ...(why && { detail: why }) })
    })
    if (hasMoved) {
      log.info({ dispatch: after.name, from: before?.state, to: state }, 'dispatch changed')
    }
    if (before?.escalated !== after.escalated) escalate(kept)
    if (hasMoved && isOver(after)) ended(after)
  }

  const escalate = ({ id, name, state, escalated, runtimeId, cwd, screen }: Dispatch): void => {
    const about = { kind: 'dispatch', id } as const
    if (escalated === undefined) {
      const by = state === 'stopped' ? 'operator' : 'itself'
      escalations.end(about, `the dispatch is ${state}`, by)
      return
    }
    const runtime = registry.find(runtimeId)
    escalations.raise({
      about,
      text: [
        `Dispatch ${name}: ${escalated}`,
        ...frozenOutput({ lines: screen?.text.split('\n') ?? [] }),
        `What it shows: trailboss dispatch logs ${name}. To end it: trailboss dispatch stop ${name}`,
      ].join('\n'),
      label: state === 'waiting' ? 'waits' : 'stalled',
      cwd,
      pane: runtime && paneIn(runtime),
    })
  }

  return {
    running() {
      known ??= listDispatches(db, { isRunning: true, limit: 1_000 })
      return known
    },
    read: (id) => readDispatch(db, id),
    save,
    end(dispatch, end, by) {
      const latest = readDispatch(db, dispatch.id)
      if (!latest || isOver(latest)) return
      save(latest, endedDispatch(latest, end, clock.now()), by === undefined ? {} : { by })
    },
    escalate,
    audit: auditOf,
  }
}

function begun({ by, prompt }: Dispatch): Pick<AuditEntry, 'actor' | 'result' | 'payload'> {
  return { actor: by, result: 'ok', payload: prompt }
}
