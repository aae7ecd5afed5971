import { TrailBossError } from '../errors.ts'
import type { Ack } from '../supervisor/trigger/ack.ts'

/** How far an agent has read a thread: everything up to `seq`, which never goes back. */
export type ReadCursor = { threadId: string; agentId: string; seq: number; at: number }

export function newCursor(threadId: string, agentId: string, now: number): ReadCursor {
  return { threadId, agentId, seq: 0, at: now }
}

/** `at` moves only with `seq`: reading the same again proves nothing new. */
export function advanced(
  cursor: ReadCursor,
  seq: number,
  lastSeq: number,
  now: number,
): ReadCursor {
  if (!Number.isSafeInteger(seq) || seq < 0 || seq > lastSeq) {
    throw new TrailBossError(
      'BAD_REQUEST',
      `Thread ${cursor.threadId} has no message ${seq}: its last one is ${lastSeq}.`,
    )
  }
  return seq > cursor.seq ? { ...cursor, seq, at: now } : cursor
}

/** The agent read on in that thread after it was prompted to. */
export function cursorAck(
  cursor: ReadCursor,
  prompted: { agentId: string; threadId: string; at: number },
): Ack | undefined {
  const isTheirs = cursor.agentId === prompted.agentId && cursor.threadId === prompted.threadId
  return isTheirs && cursor.seq > 0 && cursor.at > prompted.at
    ? { kind: 'cursor', at: cursor.at }
    : undefined
}
