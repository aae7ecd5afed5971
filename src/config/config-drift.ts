import type { Config } from './config.ts'

/** The setting that the daemon can reload while it runs; it reads all others only when it starts. */
export const RELOADABLE = 'workspaces'

/** Only `trailboss install tmux` uses these. */
const NOT_THE_DAEMONS: ReadonlySet<string> = new Set(['keys', 'statusSegment'])

/** The names of the settings that the daemon uses and that differ, in the order of the documentation. */
export function changedSettings(before: Config, after: Config): (keyof Config)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof Config)[]
  return names.filter((name) => !NOT_THE_DAEMONS.has(name) && !isSame(before[name], after[name]))
}

/** Equal values; the order of an object's keys does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(ordered)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, its]) => [key, ordered(its)])
}
