import type { FoundFiles } from './database-files.ts'
import type { LastKnown } from './last-known.ts'

type Found = FoundFiles & { id: string; lastSeq: number; lastAdmittedAt: number }

const READ_AGAIN =
  'Trail Boss has read the status files, transcripts and screens of running sessions again.'

/**
 * What a database lacks of what it was last known to hold. The last second before a crash may not have been
 * written down, so a few more entries may be missing.
 */
export function lossesOf(found: Found, known: LastKnown | undefined): string[] {
  const held = known && heldBy(known)
  switch (found.database) {
    case 'missing':
      return known
        ? [`The database was missing, so Trail Boss created a new one. ${held} ${READ_AGAIN}`]
        : []
    case 'empty':
      return [
        `The database was empty (0 bytes). ${held ?? 'Nobody knows what it held.'} ${READ_AGAIN}`,
      ]
    case 'there':
      return known && known.seq > 0 ? lossesOfContent(found, known) : []
    default:
      return found.database satisfies never
  }
}

function heldBy({ seq, admittedAt }: LastKnown): string {
  if (seq === 0) return 'As far as is known, it held nothing.'
  return `It held at least ${entries(seq)}, the last from ${at(admittedAt)}.`
}

function lossesOfContent(found: Found, known: LastKnown): string[] {
  if (found.id !== known.id) {
    return [
      `The database is not the one that Trail Boss last used here. That one held at least ${entries(known.seq)}, the last from ${at(known.admittedAt)}; this one holds ${entries(found.lastSeq)}. ${READ_AGAIN}`,
    ]
  }
  const lacks = known.seq - found.lastSeq
  const hasLostJournal = known.isOpen && !found.hasJournal
  const last = `entry ${found.lastSeq} (${at(found.lastAdmittedAt)})`
  if (lacks > 0) {
    const why = hasLostJournal ? 'Its journal (trailboss.db-wal) is gone. ' : ''
    return [
      `The database lacks at least ${entries(lacks)}: everything after ${last}, up to ${at(known.admittedAt)}. ${why}${READ_AGAIN}`,
    ]
  }
  if (!hasLostJournal) return []
  return [
    `The database was never closed, but its journal (trailboss.db-wal) is gone. No entry is known to be missing; some from the last second, after ${last}, may be. ${READ_AGAIN}`,
  ]
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

function at(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
