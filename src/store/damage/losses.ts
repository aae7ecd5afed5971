import { displayLine, truncate } from '../../core/text.ts'
import type { FoundFiles } from '../files/database-files.ts'
import type { LastKnown } from '../files/last-known.ts'

/** What the new database has from one that had to be set aside. */
export type Recovered = {
  sessions: number
  isWhole: boolean
  hasLog: boolean
  /** Why it had to be set aside, if its file existed. */
  damage?: string | undefined
}

type Found = FoundFiles & {
  /** Undefined if it had none: it is new, or the journal with its name is gone. */
  id: string | undefined
  lastSeq: number
  lastAdmittedAt: number
  recovered: Recovered | undefined
}

const READ_AGAIN =
  'Trail Boss has read the status files, transcripts and screens of running sessions again.'

/**
 * What a database lacks compared with what it was last known to hold. The last second before a crash may not
 * have been written, so a few more entries may be missing.
 */
export function lossesOf(found: Found, known: LastKnown | undefined): string[] {
  if (found.recovered) {
    return [`${stateOf(found, found.recovered)} ${recoveryOf(found, found.recovered, known)}`]
  }
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

function stateOf({ database }: Found, { damage = 'damaged' }: Recovered): string {
  if (database === 'there')
    return `The database could not be used (${truncate(displayLine(damage), 120)}).`
  const state = database === 'missing' ? 'missing' : 'empty (0 bytes)'
  return `The database was ${state}. Its journal (trailboss.db-wal) was there.`
}

function recoveryOf(found: Found, recovered: Recovered, known: LastKnown | undefined): string {
  const { sessions, isWhole, hasLog } = recovered
  const some = `Trail Boss recovered ${counted(sessions, 'session')} from it`
  if (!isWhole) {
    return `${some}; others may be lost. ${known ? `${heldBy(known)} ` : ''}${READ_AGAIN}`
  }
  if (!hasLog) {
    return `${some}. Their last changes may be missing, because its log could not be read. ${READ_AGAIN}`
  }
  if (!known) return `${some}. Nobody knows whether it held more. ${READ_AGAIN}`
  const lacks = known.seq - found.lastSeq
  if (lacks > 0) {
    return `${some}. It lacks at least ${entries(lacks)}: ${everythingAfter(found)}${upTo(known)}. ${READ_AGAIN}`
  }
  if (known.seq === 0) return `${some}. ${heldBy(known)}`
  return `${some}, with all ${entries(found.lastSeq)}. No entry is known to be missing.`
}

function heldBy({ seq, admittedAt }: LastKnown): string {
  if (seq === 0) return 'As far as is known, it held nothing.'
  return `It held at least ${entries(seq)}${lastFrom(admittedAt)}.`
}

function lossesOfContent(found: Found, known: LastKnown): string[] {
  if (found.id !== undefined && found.id !== known.id) {
    return [
      `The database is not the one that Trail Boss last used here. That one held at least ${entries(known.seq)}${lastFrom(known.admittedAt)}; this one holds ${entries(found.lastSeq)}. ${READ_AGAIN}`,
    ]
  }
  const lacks = known.seq - found.lastSeq
  const hasLostJournal = known.isOpen && !found.hasJournal
  if (lacks > 0) {
    const why = hasLostJournal ? 'Its journal (trailboss.db-wal) is gone. ' : ''
    return [
      `The database lacks at least ${entries(lacks)}: ${everythingAfter(found)}${upTo(known)}. ${why}${READ_AGAIN}`,
    ]
  }
  if (!hasLostJournal) return []
  return [
    `The database was never closed, but its journal (trailboss.db-wal) is gone. No entry is known to be missing; some from the last second, after entry ${found.lastSeq}${inBrackets(found.lastAdmittedAt)}, may be. ${READ_AGAIN}`,
  ]
}

function everythingAfter({ lastSeq, lastAdmittedAt }: Found): string {
  if (lastSeq === 0) return 'everything that it held'
  return `everything after entry ${lastSeq}${inBrackets(lastAdmittedAt)}`
}

function upTo({ admittedAt }: LastKnown): string {
  return admittedAt > 0 ? `, up to ${at(admittedAt)}` : ''
}

function lastFrom(time: number): string {
  return time > 0 ? `, the last from ${at(time)}` : ''
}

function inBrackets(time: number): string {
  return time > 0 ? ` (${at(time)})` : ''
}

function entries(count: number): string {
  return counted(count, 'entry', 'entries')
}

function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`
}

function at(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
