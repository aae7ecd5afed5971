import type { DatabaseSync } from 'node:sqlite'
import { NOTICE_CHANNELS } from '../../core/notice/channel.ts'
import { MUTE_KINDS, type Mute } from '../../core/notice/mute.ts'
import type { Announced } from '../../core/notice/notice-plan.ts'
import { inTransaction } from '../database/database.ts'
import { recordTable, saveRecord, select } from '../rows/rows.ts'
import { list, name, object, oneOf, optional, text, time } from '../shapes/shape.ts'

export const NOTICES = recordTable<Announced>({
  name: 'notices',
  key: 'notice_id',
  shape: object<Announced>({
    id: name,
    level: oneOf(['first', 'again']),
    at: time,
    left: list(oneOf(NOTICE_CHANNELS)),
  }),
  columns: ({ id }) => ({ notice_id: id }),
})

export const MUTES = recordTable<Mute>({
  name: 'mutes',
  key: 'mute_id',
  shape: object<Mute>({ kind: oneOf(MUTE_KINDS), name: text, until: optional(time) }),
  columns: (mute) => ({ mute_id: muteId(mute) }),
})

export function readNotices(db: DatabaseSync): Announced[] {
  return select(db, NOTICES)
}

/** In one step: what was announced, and which waits are over. */
export function saveNotices(
  db: DatabaseSync,
  announced: readonly Announced[],
  over: readonly string[] = [],
): void {
  // Hundreds may begin to wait at once, and a statement takes longer to prepare than to run.
  const save = db.prepare('INSERT OR REPLACE INTO notices (notice_id, record) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM notices WHERE notice_id = ?')
  inTransaction(db, () => {
    for (const one of announced) save.run(one.id, JSON.stringify(one))
    for (const id of over) forget.run(id)
  })
}

export function readMutes(db: DatabaseSync): Mute[] {
  return select(db, MUTES, 'ORDER BY t.rowid')
}

export function saveMute(db: DatabaseSync, mute: Mute): void {
  saveRecord(db, MUTES, mute)
}

export function forgetMute(db: DatabaseSync, mute: Mute): void {
  db.prepare('DELETE FROM mutes WHERE mute_id = ?').run(muteId(mute))
}

function muteId({ kind, name }: Pick<Mute, 'kind' | 'name'>): string {
  return `${kind}:${name}`
}
