import type { DatabaseSync } from 'node:sqlite'
import { name, object, text } from '../shapes/shape.ts'
import { columnTable, selectOne } from './rows.ts'

/** Single values. Those that end in `_at` or `_from` are times. */
export const META = columnTable(
  'meta',
  (row) => {
    const { key, value } = row as { key?: unknown; value?: unknown }
    const wrong = object({ key: name, value: text })(row)
    if (wrong !== undefined || !/_(at|from)$/.test(String(key))) return wrong
    return isTime(Number(value)) ? undefined : 'value is not a time'
  },
  (row) => String(row['value']),
)

export function readMeta(db: DatabaseSync, key: string): string | undefined {
  return selectOne(db, META, 'WHERE key = ?', key)
}

export function readTime(db: DatabaseSync, key: string): number | undefined {
  const value = readMeta(db, key)
  return value === undefined ? undefined : Number(value)
}

export function setMeta(db: DatabaseSync, key: string, value: string): void {
  db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
    key,
    value,
  )
}

/** Admission times continue from the last one, so an absurd one would move the clock there for good. */
export const LATEST_TIME = Date.UTC(3000, 0)

export function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < LATEST_TIME
}
