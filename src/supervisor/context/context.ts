import type { DatabaseSync } from 'node:sqlite'
import type { SupervisorSettings } from '../../config/supervisor-settings.ts'
import type { AdmissionClock } from '../../service/clock.ts'
import type { Log } from '../../service/log.ts'
import { appendAudit, type NewAuditLine } from '../../store/tables/audit.ts'
import type { Escalations } from './escalations.ts'
import type { Workspaces } from './workspaces.ts'

/** What every part of the supervisor works with. All times are on the admission clock. */
export type SupervisorContext = {
  db: DatabaseSync
  clock: Pick<AdmissionClock, 'now' | 'fromWall' | 'toWall'>
  settings: SupervisorSettings
  workspaces: Workspaces
  escalations: Escalations
  log: Log
}

export type AuditEntry = Omit<NewAuditLine, 'at' | 'payload'> & { payload?: string }

type AuditContext = Pick<SupervisorContext, 'db' | 'clock' | 'settings'> & { log?: Log }

/** Call it in the transaction of the change it records. The daemon's log gets the same line, without the text. */
export function audit(
  { db, clock, settings, log }: AuditContext,
  { payload, ...entry }: AuditEntry,
): void {
  appendAudit(db, {
    ...entry,
    at: Math.round(clock.toWall(clock.now())),
    ...(payload !== undefined && {
      payload: { text: payload, keepsText: settings.keepsPayloads },
    }),
  })
  const { kind, actor, agentId, runtimeId, threadId, triggerId, result } = entry
  log?.info(
    {
      actor,
      agent_id: agentId,
      runtime_id: runtimeId,
      thread_id: threadId,
      trigger_id: triggerId,
      result,
    },
    kind,
  )
}

/** The actor when Trail Boss acted by itself. */
export const OURSELVES = 'trailboss'

/** The actor when the operator acted. */
export function operatorNamed(name: string | undefined): string {
  return `operator:${name ?? 'local'}`
}
