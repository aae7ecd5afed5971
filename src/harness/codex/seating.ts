import { basename, join } from 'node:path'
import type { Seat, Seating, Sitter } from '../adapter/adapter.ts'
import { objectOf, textOf } from '../edit/json-value.ts'
import { codexHome, codexHomeOf } from './home.ts'
import { isCodexDaemon } from './process.ts'

/**
 * Codex's shared daemon runs the sessions, and its terminals show them. Nothing says which terminal
 * shows which session (0.166.0). But a terminal has the name of its session in its title, and a session
 * is made when its terminal starts: an id begins with the time at which it was made.
 */
export const seating: Seating = {
  isServer: isCodexDaemon,
  isSeat: (argv) => !argv.includes('--no-daemon'),
  variables: ['HOME', 'CODEX_HOME'],
  homeFor: codexHome,
  homeOf: codexHomeOf,
  namesFile: (home) => join(home, 'session_index.jsonl'),
  namesIn,
  openDirectory: (home) => join(home, 'thread-writer-locks'),
  openIn: (fileName) => /^([0-9a-f-]{36})\.lock$/.exec(fileName)?.[1],
  seatOf,
}

/** What came last counts. */
function namesIn(text: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const line of text.split('\n')) {
    const { id, thread_name: name } = objectOf(parsed(line)) as {
      id?: unknown
      thread_name?: unknown
    }
    const [key, value] = [textOf(id), textOf(name)]
    if (key !== undefined && value !== undefined) names.set(key, value)
  }
  return names
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * A name that one terminal has in its title, and no other session has, is enough. Otherwise the
 * terminal in which the session was made counts, unless it may have been made in another one, which
 * waited for the daemon to start, or another session may be the one that is shown there now.
 */
function seatOf<S extends Seat>(
  sitter: Sitter,
  sitters: readonly Sitter[],
  seats: readonly S[],
): S | undefined {
  const fitting = seats.filter((seat) => fits(seat, sitter))
  const rivals = sitters.filter((other) => fitting.some((seat) => fits(seat, other)))
  const [only] = fitting
  if (sitter.name !== undefined && fitting.length === 1 && rivals.length === 0) return only
  const birthplace = birthplaceOf(sitter, seats)
  if (!birthplace || !fitting.includes(birthplace)) return undefined
  const others = rivals.map((rival) => birthplaceOf(rival, seats))
  const isAlone = others.every((place) => place !== undefined && place !== birthplace)
  const isOnlyOne = fitting.every((seat) => seat === birthplace || others.includes(seat))
  return isAlone && isOnlyOne ? birthplace : undefined
}

const STATE = /^(?:[\u2801-\u28ff] |\[ [!.] \] Action Required(?: \| |$))/

/** A session without a name is shown by the directory that it works in alone. */
function fits({ title }: Seat, { name, cwd }: Sitter): boolean {
  const shown = title.replace(STATE, '')
  if (name !== undefined) return shown === name || shown.startsWith(`${name} | `)
  return cwd === undefined ? !shown.includes(' | ') : shown === basename(cwd)
}

/** A session is made this long after its terminal has started; the kernel gives that time to the second. */
const MADE_AFTER_MS = 5_000
const MADE_BEFORE_MS = 1_500

function birthplaceOf<S extends Seat>(sitter: Sitter, seats: readonly S[]): S | undefined {
  const madeAt = madeAtOf(sitter.id)
  if (madeAt === undefined) return undefined
  const [nearest] = seats
    .filter(({ startedAt }) => {
      const after = madeAt - startedAt
      return after >= -MADE_BEFORE_MS && after <= MADE_AFTER_MS
    })
    .toSorted((a, b) => Math.abs(madeAt - a.startedAt) - Math.abs(madeAt - b.startedAt))
  return nearest
}

/** Ids are of version 7: they begin with the time in milliseconds. */
function madeAtOf(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? []
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16)
}
