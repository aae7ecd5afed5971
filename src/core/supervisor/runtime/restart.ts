import { DEFAULT_RULES, type RestartRules } from '../defaults.ts'

/** How to restart a process, and the earliest time for it; or that it will not be restarted. */
export type RestartPlan = { restart: Relaunch; atMs: number } | 'failed'

/** `resume` continues its session, `spawn` begins a new one. */
export type Relaunch = 'resume' | 'spawn'

/**
 * The budget is three failures within fifteen minutes. Before the third, the session is resumed. At the third, the
 * session itself may be broken, so a new one begins. One more, and the runtime has failed. Failures outside the
 * window no longer count. A clean exit is not a failure.
 */
export function restartPlan(
  failures: readonly number[],
  now: number,
  rules: RestartRules = DEFAULT_RULES.restart,
): RestartPlan {
  const recent = failuresWithin(failures, now, rules)
  if (recent.length > rules.failures) return 'failed'
  const restart = recent.length >= rules.failures ? 'spawn' : 'resume'
  const last = recent.at(-1)
  if (last === undefined) return { restart, atMs: now }
  const backoff = rules.backoffMs[recent.length - 1] ?? rules.backoffMs.at(-1) ?? 0
  // If the clock was set back, it must not wait longer than the backoff.
  return { restart, atMs: Math.min(last, now) + backoff }
}

/** Whether there is a session to continue: one that is known, and not known to be stale. */
export function isResumable(
  session: { sessionId: string | undefined; lastHeartbeatAt: number | undefined },
  now: number,
  { staleMs }: RestartRules = DEFAULT_RULES.restart,
): boolean {
  if (session.sessionId === undefined) return false
  return session.lastHeartbeatAt === undefined || now - session.lastHeartbeatAt <= staleMs
}

/** A failure in the future counts too: clocks are set back. */
function failuresWithin(failures: readonly number[], now: number, { windowMs }: RestartRules) {
  return failures.filter((at) => now - at < windowMs)
}
