import { basename, dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Where Codex keeps its settings and its sessions. Undefined if there is no home. */
export function codexHome(env: Env): string | undefined {
  return env['CODEX_HOME'] || (env['HOME'] && join(env['HOME'], '.codex'))
}

/** The same for the session with this rollout: `<home>/sessions/<year>/<month>/<day>/rollout-….jsonl`. */
export function codexHomeOf(rollout: string): string | undefined {
  const sessions = dirname(dirname(dirname(dirname(rollout))))
  return basename(sessions) === 'sessions' ? dirname(sessions) : undefined
}
