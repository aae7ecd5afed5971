/** The harness name of our own items in the queue: the supervisor's, and decisions. */
export const SUPERVISOR = 'trailboss'

export const OWN_SUBJECTS = ['trigger', 'runtime', 'thread', 'dispatch', 'decision'] as const

/** Something of our own that only the operator can settle. */
export type OwnSubject = { kind: (typeof OWN_SUBJECTS)[number]; id: string }

/** What an item in the queue is about. */
export type Subject = OwnSubject | { kind: 'session'; id: string }

/** The session id of such an item. */
export function subjectName({ kind, id }: OwnSubject): string {
  return `${kind}-${id}`
}

/** For what earlier versions stored, where only this name shows the subject. */
export function subjectNamed(harness: string, session: string): OwnSubject | undefined {
  if (harness !== SUPERVISOR) return undefined
  const kind = OWN_SUBJECTS.find((one) => session.startsWith(`${one}-`))
  return kind && { kind, id: session.slice(kind.length + 1) }
}
