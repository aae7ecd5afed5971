import type { QueueItem } from '../../../src/contract/responses.ts'

/** 2026-01-01T12:00:00Z, the value of `now` in tests of pure code. */
export const NOW = Date.UTC(2026, 0, 1, 12)

/** A ready item, stuck for four minutes, in a pane numbered like its session. */
export function queueItem(session: string, changes: Partial<QueueItem> = {}): QueueItem {
  return {
    session,
    harness: 'claude-code',
    about: { kind: 'session', id: session },
    reason: 'stopped',
    label: changes.reason === 'permission' ? 'permission' : 'finished',
    since: NOW - 4 * 60_000,
    ready: true,
    readyAt: null,
    pane: { socket: '/tmp/tmux', id: `%${session.replace(/\D/g, '') || 0}` },
    cwd: `/home/op/project-${session}`,
    project: `project-${session}`,
    ask: { text: `ask of ${session}` },
    ...changes,
  }
}

/** A failed trigger, as the supervisor lists it. */
export function failedTriggerItem(id: string, changes: Partial<QueueItem> = {}): QueueItem {
  const text = [
    'ranch/reviewer did not get its prompt (review).',
    'ACK_TIMEOUT: The agent never showed that it took the prompt.',
    'It says: Please review what is unread, and post your findings.',
    `Try again: trailboss trigger retry ${id}`,
  ].join('\n')
  return queueItem(`trigger-${id}`, {
    harness: 'trailboss',
    about: { kind: 'trigger', id },
    label: 'error',
    project: 'ranch',
    cwd: '/home/op/ranch',
    pane: null,
    ask: { text },
    ...changes,
  })
}

export function coolingItem(session: string, changes: Partial<QueueItem> = {}): QueueItem {
  return queueItem(session, { ready: false, readyAt: NOW + 42_000, ...changes })
}
