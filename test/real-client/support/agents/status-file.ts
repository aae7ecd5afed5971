import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What Claude Code publishes about itself, as far as the tests look at it. */
export type StatusFile = {
  pid: number
  sessionId: string
  cwd: string
  status: string
  waitingFor?: string
  updatedAt?: number
  statusUpdatedAt?: number
  [field: string]: unknown
}

function statusFilePath(home: string, pid: number): string {
  return join(home, '.claude', 'sessions', `${pid}.json`)
}

/** Undefined while there is none, or while it is being written. */
export function readStatusFile(home: string, pid: number): StatusFile | undefined {
  try {
    return JSON.parse(readFileSync(statusFilePath(home, pid), 'utf8')) as StatusFile
  } catch {
    return undefined
  }
}
