/**
 * Where to attach a control client without the operator noticing. tmux treats it as one more client: it counts
 * as attached, `attach-session` without a target prefers sessions that nobody is attached to, and both
 * `destroy-unattached` and `exit-unattached` wait until it has gone, too.
 */
export type SessionChoice = { join: string } | { refuse: string }

type Place = { id: string; activity: number }

type Seen = {
  sessions: (Place & { isKept: boolean })[]
  isKeptServer: boolean
  hasOperator: boolean
}

/** Numbers and ids only: a name in the same line could forge a row. */
export const SESSIONS_COMMANDS = [
  [
    'list-sessions',
    '-F',
    's #{session_id} #{session_activity} #{destroy-unattached} #{exit-unattached}',
  ],
  ['list-clients', '-F', 'c #{client_control_mode}'],
] as const

/**
 * Stays in `current` if that is suitable and nobody has used it since `activity`; otherwise takes the least
 * recently used one, which is the last that the operator would attach to.
 */
export function chooseSession(lines: readonly string[], current?: Place): SessionChoice {
  const { sessions, isKeptServer, hasOperator } = parse(lines)
  if (sessions.length === 0) return { refuse: 'the server has no sessions' }
  if (!isKeptServer && !hasOperator) {
    return { refuse: 'the server is to end when the last client leaves (exit-unattached)' }
  }
  const kept = sessions.filter(({ isKept }) => isKept)
  const [choice] = kept.toSorted(
    (a, b) => reluctance(a, current) - reluctance(b, current) || a.activity - b.activity,
  )
  if (choice) return { join: choice.id }
  return { refuse: 'its sessions are to end when the last client leaves (destroy-unattached)' }
}

/** tmux counts activity in seconds, so two sessions often have the same value. */
function reluctance(session: Place, current: Place | undefined): number {
  if (session.id !== current?.id) return 1
  return session.activity <= current.activity ? 0 : 2
}

function parse(lines: readonly string[]): Seen {
  const seen: Seen = { sessions: [], isKeptServer: true, hasOperator: lines.includes('c 0') }
  for (const line of lines) {
    const [, id, activity, destroyed, exits] = SESSION_ROW.exec(line) ?? []
    if (!id) continue
    seen.sessions.push({ id, activity: Number(activity), isKept: isOff(destroyed) })
    seen.isKeptServer &&= isOff(exits)
  }
  return seen
}

const SESSION_ROW = /^s (\$\d+) (\d+) (\S+) (\S+)$/

/** A flag in 3.3a, a choice of names in later versions. */
function isOff(value: string | undefined): boolean {
  return value === '0' || value === 'off'
}
