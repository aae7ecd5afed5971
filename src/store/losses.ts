import type { FoundFiles } from './database-files.ts'
import type { LastKnown } from './last-known.ts'

type Found = FoundFiles & { id: string; lastSeq: number; lastAdmittedAt: number }

const READ_AGAIN =
  'What status files, transcripts and screens tell of the sessions that run was read again.'

/**
 * What a database lacks of what it was last known to hold. The last second before a crash may not have been
 * written down, so there may be a few entries more.
 */
export function lossesOf(found: Found, known: LastKnown | undefined): string[] {
  const held =
    known && `It held ${entries(known.seq)} at least, the last of ${at(known.admittedAt)}.`
  switch (found.database) {
    case 'missing':
      return known
        ? [`The database was gone, and there is a new one now. ${held} ${READ_AGAIN}`]
        : []
    case 'empty':
      return [
        `The database was empty (0 bytes). ${held ?? 'What it held is not known.'} ${READ_AGAIN}`,
      ]
    case 'there':
      return known && known.seq > 0 ? lossesOfContent(found, known) : []
    default:
      return found.database satisfies never
  }
}

function lossesOfContent(found: Found, known: LastKnown): string[] {
  if (found.id !== known.id) {
    return [
      `The database is not the one that was last used here. That one held ${entries(known.seq)} at least, the last of ${at(known.admittedAt)}; this one holds ${entries(found.lastSeq)}. ${READ_AGAIN}`,
    ]
  }
  const lacks = known.seq - found.lastSeq
  const journal = known.isOpen && !found.hasJournal
  const end = `after entry ${found.lastSeq} of ${at(found.lastAdmittedAt)}`
  if (lacks > 0) {
    const why = journal ? 'Its journal (trailboss.db-wal) is gone. ' : ''
    return [
      `The database lacks ${entries(lacks)} at least, all that was stored ${end}, until ${at(known.admittedAt)}. ${why}${READ_AGAIN}`,
    ]
  }
  if (!journal) return []
  return [
    `The database has no journal (trailboss.db-wal), although it was never closed. Nothing is known to be missing; what was stored within the last second, ${end}, may be. ${READ_AGAIN}`,
  ]
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

function at(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
