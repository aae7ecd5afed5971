import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { TrailBossError } from '../../../core/errors.ts'
import { isProgram } from '../../adapter/program-file.ts'
import {
  eventsKnownTo,
  HOOK_EVENTS,
  type HookEvent,
  isOlder,
  OLDEST_LIKELY_VERSION,
} from './hook-events.ts'

/** Which of our events the installed Claude Code accepts, and how we know. */
export type KnownEvents = {
  events: HookEvent[]
  /** `asked`: it checked them itself. `version`: by our table. `assumed`: there was none to ask. */
  by: 'asked' | 'version' | 'assumed'
  program?: string
  version?: string
}

/** Touches no file of the user, needs no network, and asks no model. */
export async function knownEvents(
  env: NodeJS.ProcessEnv,
  given?: string,
  deadlineMs = 15_000,
): Promise<KnownEvents> {
  const program = given === undefined ? findProgram(env) : requireProgram(given)
  if (program === undefined) return { events: eventsKnownTo(OLDEST_LIKELY_VERSION), by: 'assumed' }
  const dir = mkdtempSync(join(tmpdir(), 'trailboss-ask-'))
  try {
    const surroundings = { program, env, dir, deadlineMs }
    const version = await versionOf(surroundings)
    if (version === undefined) {
      return { events: eventsKnownTo(OLDEST_LIKELY_VERSION), by: 'assumed', program }
    }
    const asked = isOlder(version, FIRST_PLAIN_DOCTOR) ? undefined : await ask(surroundings)
    if (asked) return { events: asked, by: 'asked', program, version }
    return { events: eventsKnownTo(version), by: 'version', program, version }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** In `PATH`, else where its own installers put it. */
export function findProgram(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'] || homedir()
  const places = [
    ...(env['PATH'] ?? '').split(delimiter).filter(Boolean),
    join(home, '.local', 'bin'),
    join(home, '.claude', 'local'),
  ]
  return places.map((place) => resolve(place, 'claude')).find(isProgram)
}

/** The first version whose `doctor` prints and exits without a terminal. */
const FIRST_PLAIN_DOCTOR = '2.1.206'
const MAX_OUTPUT = 1_000_000
/** An event that no version knows: if even this one is accepted, the answer means nothing. */
const NO_EVENT = 'TrailBossAsks'

type Asking = { program: string; env: NodeJS.ProcessEnv; dir: string; deadlineMs: number }

async function versionOf(asking: Asking): Promise<string | undefined> {
  // With the user's own HOME: a version manager's shim finds the program through it.
  const printed = await run(asking, '--version', asking.env['HOME'] || homedir())
  return /^\d+\.\d+\.\d+/.exec(printed)?.[0]
}

/** Its `doctor` reads a settings file with all events and names those that it refuses. */
async function ask(asking: Asking): Promise<HookEvent[] | undefined> {
  const { dir } = asking
  const hook = { type: 'command', async: true, timeout: 5, command: 'true' }
  const hooks = Object.fromEntries(
    [...HOOK_EVENTS, NO_EVENT].map((event) => [event, [{ hooks: [hook] }]]),
  )
  mkdirSync(join(dir, 'config'))
  writeFileSync(join(dir, 'config', 'settings.json'), JSON.stringify({ hooks }))
  const said = await run(asking, 'doctor', dir)
  const refused = new Set([...said.matchAll(/\bhooks\.(\w+)/g)].map(([, event]) => event))
  if (!refused.has(NO_EVENT)) return undefined
  return HOOK_EVENTS.filter((event) => !refused.has(event))
}

function quietEnv(env: NodeJS.ProcessEnv, dir: string, home: string): NodeJS.ProcessEnv {
  return {
    PATH: env['PATH'],
    HOME: home,
    TMPDIR: dir,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CLAUDE_CONFIG_DIR: join(dir, 'config'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Nothing should be sent; if anything is, it goes nowhere.
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  }
}

/** What it printed to stdout; empty if it did not run, or did not finish in time. */
function run(asking: Asking, argument: string, home: string): Promise<string> {
  const { program, dir, deadlineMs } = asking
  return new Promise((done) => {
    const child = spawn(program, [argument], {
      env: quietEnv(asking.env, dir, home),
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
      // Its own group, so that what it started ends with it.
      detached: true,
    })
    let printed = ''
    const finish = (result: string) => {
      clearTimeout(timer)
      done(result)
    }
    const timer = setTimeout(() => {
      endGroup(child.pid)
      finish('')
    }, deadlineMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < MAX_OUTPUT) printed += text
    })
    child.on('error', () => finish(''))
    child.on('close', (code) => finish(code === 0 ? printed : ''))
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has exited, with everything that it started.
  }
}

function requireProgram(path: string): string {
  if (isProgram(resolve(path))) return resolve(path)
  throw new TrailBossError('BAD_USAGE', `${path} is not a program that can be run.`, {
    hint: 'Name the claude program itself: command -v claude',
  })
}
