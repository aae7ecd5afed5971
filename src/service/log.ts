import { renameSync, statSync } from 'node:fs'
import { pino } from 'pino'
import { valueWithoutSecrets } from '../core/session/event-redaction.ts'
import { plainJson } from '../core/text.ts'

export type Log = pino.Logger

const MAX_BYTES = 5 * 1024 * 1024
const KEEP_FILES = 3
const CHECK_EVERY_LINES = 200

/** JSON lines without secrets and control characters. A large file is rotated, and the oldest is removed. */
export function openLog(file: string, level: string): Log {
  rotateIfLarge(file)
  const destination = pino.destination({ dest: file, mode: 0o600, sync: true, mkdir: false })
  // A full disk takes no log; the daemon continues without one.
  destination.on('error', () => {})
  let lines = 0
  const rotating = {
    write(line: string): void {
      try {
        destination.write(plainJson(line))
        lines += 1
        if (lines % CHECK_EVERY_LINES === 0 && rotateIfLarge(file)) destination.reopen()
      } catch {
        // As above: continue without a log.
      }
    },
  }
  type Fields = Record<string, unknown>
  const formatters = { log: (fields: Fields) => valueWithoutSecrets(fields) as Fields }
  return pino({ level, base: { pid: process.pid }, formatters }, rotating)
}

function rotateIfLarge(file: string, maxBytes = MAX_BYTES): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return false
  for (let index = KEEP_FILES - 1; index >= 1; index--) {
    const from = index === 1 ? file : `${file}.${index - 1}`
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${index}`)
  }
  return true
}
