import { DEFAULT_RULES, type RestartRules } from '../defaults.ts'

/** How a process is to be started again, and not before when; or that it is not any more. */
export type RestartPlan = { restart: Relaunch; atMs: number } | 'failed'

/** `resume` goes on with its session, `spawn` begins a new one. */
export type Relaunch = 'resume' | 'spawn'

/**
 * The budget is three failures within fifteen minutes. Up to there the session is resumed; at the third
 * it may be the session that is broken, and a new one is begun; one more, and it has failed. A failure
 * that is out of the window counts no more. Who ends as he should has not failed.
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
  // A clock that was set back must not make it wait for longer than the backoff.
  return { restart, atMs: Math.min(last, now) + backoff }
}

/** Whether there is a session to go on with: one that is known, and not known to be long out of use. */
export function isResumable(
  session: { sessionId: string | undefined; lastHeartbeatAt: number | undefined },
  now: number,
  { staleMs }: RestartRules = DEFAULT_RULES.restart,
): boolean {
  if (session.sessionId === undefined) return false
  return session.lastHeartbeatAt === undefined || now - session.lastHeartbeatAt <= staleMs
}

/** One that lies in the future counts: clocks are set back. */
function failuresWithin(failures: readonly number[], now: number, { windowMs }: RestartRules) {
  return failures.filter((at) => now - at < windowMs)
}
