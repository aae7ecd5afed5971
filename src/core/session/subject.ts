/** The harness name of the supervisor's own items in the queue. */
export const SUPERVISOR = 'trailboss'

export const SUPERVISOR_SUBJECTS = ['trigger', 'runtime', 'thread', 'dispatch'] as const

/** Something in the supervisor that only the operator can settle. */
export type SupervisorSubject = { kind: (typeof SUPERVISOR_SUBJECTS)[number]; id: string }

/** What an item in the queue is about. */
export type Subject = SupervisorSubject | { kind: 'session'; id: string }

/** The session id of a supervisor item. */
export function subjectName({ kind, id }: SupervisorSubject): string {
  return `${kind}-${id}`
}

/** For what earlier versions stored, where only this name shows the subject. */
export function subjectNamed(harness: string, session: string): SupervisorSubject | undefined {
  if (harness !== SUPERVISOR) return undefined
  const kind = SUPERVISOR_SUBJECTS.find((one) => session.startsWith(`${one}-`))
  return kind && { kind, id: session.slice(kind.length + 1) }
}
