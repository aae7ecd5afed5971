import { basename, join } from 'node:path'
import type {
  BackgroundSessions,
  SharedDaemon,
  SharedSession,
  SharedTerminal,
} from '../adapter/adapter.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { isCodexDaemon } from './process.ts'
import { codexHome, codexHomeOf } from './wiring/home.ts'

/**
 * Codex's shared daemon runs the sessions, and its terminals show them. Nothing records which terminal shows
 * which session (0.166.0). But a terminal has the name of its session in its title, and a session is created
 * when its terminal starts: its id begins with the time of its creation.
 */
export const sharedDaemon: SharedDaemon = {
  isDaemon: isCodexDaemon,
  isTerminal: (argv) => !argv.includes('--no-daemon'),
  variables: ['HOME', 'CODEX_HOME'],
  homeFor: codexHome,
  homeOf: codexHomeOf,
  namesFile: (home) => join(home, 'session_index.jsonl'),
  namesIn,
  openDirectory: (home) => join(home, 'thread-writer-locks'),
  openIn: (fileName) => /^([0-9a-f-]{36})\.lock$/.exec(fileName)?.[1],
  terminalOf,
}

/**
 * A session of the shared daemon whose terminal is gone. With `--remote`, a terminal shows what the daemon runs, also
 * if `daemon_auto_start` is off by now (0.166.0).
 */
export const background: BackgroundSessions = {
  openCommand({ job, program, argv, transcript, home }) {
    const own = transcript === undefined ? undefined : codexHomeOf(transcript)
    const isDefault = own === undefined || (home !== undefined && own === join(home, '.codex'))
    const place = isDefault ? ['-u', 'CODEX_HOME'] : [`CODEX_HOME=${own}`]
    const address = argv.find((word) => word.startsWith('unix://')) ?? 'unix://'
    return ['env', ...place, program ?? 'codex', '--remote', address, 'resume', job]
  },
}

/** If a session has several names, the last one counts. */
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
 * A name in the title of just one terminal, and of no other session, is enough. Otherwise the terminal in which
 * the session was created or resumed counts, unless the session may have been created in another one that waited for the
 * daemon to start, or another session may be shown there now.
 */
function terminalOf<S extends SharedTerminal>(
  session: SharedSession,
  sessions: readonly SharedSession[],
  terminals: readonly S[],
): S | undefined {
  const fitting = terminals.filter((terminal) => fits(terminal, session))
  const rivals = sessions.filter((other) => fitting.some((terminal) => fits(terminal, other)))
  const [only] = fitting
  if (session.name !== undefined && fitting.length === 1 && rivals.length === 0) return only
  const birthplace = birthplaceOf(session, terminals)
  if (!birthplace || !fitting.includes(birthplace)) return undefined
  const others = rivals.map((rival) => birthplaceOf(rival, terminals))
  const isAlone = others.every((place) => place !== undefined && place !== birthplace)
  const isOnlyOne = fitting.every(
    (terminal) => terminal === birthplace || others.includes(terminal),
  )
  return isAlone && isOnlyOne ? birthplace : undefined
}

const STATE = /^(?:[\u2801-\u28ff] |\[ [!.] \] Action Required(?: \| |$))/

/** `Fix the login | api`: the session's name and the directory. */
export function sessionTitle(paneTitle: string): string | undefined {
  const parts = paneTitle.replace(STATE, '').split(' | ')
  return parts.length > 1 ? parts.slice(0, -1).join(' | ') : undefined
}

/** The terminal of a session without a name shows only its working directory. */
function fits({ title }: SharedTerminal, { name, cwd }: SharedSession): boolean {
  const shown = title.replace(STATE, '')
  if (name !== undefined) return shown === name || shown.startsWith(`${name} | `)
  return cwd === undefined ? !shown.includes(' | ') : shown === basename(cwd)
}

const RESUMED = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The session that a terminal was started with: it creates none of its own. */
function resumedIn({ argv }: SharedTerminal): string | undefined {
  const id = argv[argv.indexOf('resume') + 1]
  return argv.includes('resume') && id !== undefined && RESUMED.test(id) ? id : undefined
}

/** A session is created this soon after its terminal has started; the kernel gives that time to the second. */
const MADE_AFTER_MS = 5_000
const MADE_BEFORE_MS = 1_500

function birthplaceOf<S extends SharedTerminal>(
  session: SharedSession,
  terminals: readonly S[],
): S | undefined {
  const [resumed, another] = terminals.filter((terminal) => resumedIn(terminal) === session.id)
  if (resumed) return another ? undefined : resumed
  const madeAt = madeAtOf(session.id)
  if (madeAt === undefined) return undefined
  const [nearest] = terminals
    .filter((terminal) => resumedIn(terminal) === undefined)
    .filter(({ startedAt }) => {
      const after = madeAt - startedAt
      return after >= -MADE_BEFORE_MS && after <= MADE_AFTER_MS
    })
    .toSorted((a, b) => Math.abs(madeAt - a.startedAt) - Math.abs(madeAt - b.startedAt))
  return nearest
}

/** Ids are UUIDs of version 7, which begin with the time in milliseconds. */
function madeAtOf(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? []
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16)
}
