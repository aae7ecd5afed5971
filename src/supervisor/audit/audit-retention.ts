import { forgetAudit } from '../../store/tables/audit.ts'
import type { SupervisorContext } from '../context/context.ts'

/** Forgets audit lines that are older than configured. Call `keep` now and then. */
export type AuditRetention = { keep(): void }

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000
const AT_ONCE = 1_000

export function createAuditRetention({
  db,
  clock,
  settings,
  log,
}: Pick<SupervisorContext, 'db' | 'clock' | 'settings' | 'log'>): AuditRetention {
  let nextAt = 0
  return {
    keep() {
      const now = clock.now()
      if (settings.auditDays === 0 || now < nextAt) return
      const lines = forgetAudit(db, clock.toWall(now) - settings.auditDays * DAY_MS, AT_ONCE)
      if (lines < AT_ONCE) nextAt = now + EVERY_MS
      if (lines > 0) log.info({ lines }, 'audit forgotten')
    },
  }
}
