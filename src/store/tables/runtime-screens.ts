import type { DatabaseSync } from 'node:sqlite'
import { columnTable, insertRow, selectOne } from '../rows/rows.ts'
import { name, object, text, time } from '../shapes/shape.ts'

/** What the last process of a runtime left on its screen, without secrets. */
export type KeptScreen = { at: number; text: string }

export const RUNTIME_SCREENS = columnTable(
  'runtime_screens',
  object({ runtime_id: name, at: time, text }),
  (row): KeptScreen => ({ at: Number(row['at']), text: String(row['text']) }),
)

export function saveRuntimeScreen(db: DatabaseSync, runtimeId: string, kept: KeptScreen): void {
  db.prepare('DELETE FROM runtime_screens WHERE runtime_id = ?').run(runtimeId)
  insertRow(db, RUNTIME_SCREENS, { runtime_id: runtimeId, at: kept.at, text: kept.text })
}

export function readRuntimeScreen(db: DatabaseSync, runtimeId: string): KeptScreen | undefined {
  return selectOne(db, RUNTIME_SCREENS, 'WHERE runtime_id = ?', runtimeId)
}
