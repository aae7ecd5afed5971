import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TranscriptFiles } from '../adapter/adapter.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { codexHome } from './wiring/home.ts'

/**
 * Codex writes a session to `<home>/sessions/<year>/<month>/<day>/rollout-….jsonl`, by the day on which it was begun,
 * and has the file open from its first prompt on, also when `/new` has begun another one (0.166.0).
 */
export const rolloutFiles: TranscriptFiles = {
  variables: ['HOME', 'CODEX_HOME'],
  isTranscript: (path) => /^rollout-[\w-]+\.jsonl$/.test(basename(path)),
  writtenSince(env, since) {
    const home = codexHome(env)
    return home === undefined ? [] : daysSince(since).flatMap((day) => rolloutsOf(home, day))
  },
  sessionIn(first) {
    const record = objectOf(first)
    const { id, originator, thread_source } = objectOf(record['payload'])
    const isOwn = thread_source === undefined || thread_source === 'user'
    const isMain = record['type'] === 'session_meta' && originator === 'codex-tui' && isOwn
    return isMain ? textOf(id) : undefined
  },
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** A session is known long before that. */
const MOST_DAYS = 7

/** With a day more at both ends: its time zone may be another one. */
function daysSince(since: number): Date[] {
  const until = Date.now() + DAY_MS
  const first = Math.max(since - DAY_MS, until - MOST_DAYS * DAY_MS)
  const days = Math.floor((until - first) / DAY_MS)
  return Array.from({ length: days + 1 }, (_, n) => new Date(until - n * DAY_MS))
}

function rolloutsOf(home: string, day: Date): string[] {
  const numbers = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
  const directory = join(home, 'sessions', ...numbers.map((n) => String(n).padStart(2, '0')))
  try {
    const names = readdirSync(directory).filter(rolloutFiles.isTranscript)
    return names.map((name) => join(directory, name))
  } catch {
    return []
  }
}
