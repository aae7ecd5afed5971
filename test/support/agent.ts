import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PaneRef } from '../../src/core/pane.ts'
import { isAlive } from './processes.ts'
import type { TmuxServer } from './tmux-server.ts'
import { waitFor } from './wait-for.ts'

export type AgentOptions = {
  server?: TmuxServer
  /** The tmux session in which its window opens; created if it does not exist. */
  tmuxSession?: string
  /** Starts from the shell of this pane, after the session that ran there has ended. */
  inPaneOf?: Agent
  /** `--resume`: the same session id, in another process. */
  resumes?: Agent
  cwd?: string
  /** What it calls its session. */
  title?: string
  /** Its first prompt; null leaves it at an empty composer, with no transcript yet. */
  prompt?: string | null
  /** How long it works on a prompt before it stops by itself; otherwise until a command ends it. */
  worksForMs?: number
  hooks?: boolean
  hookCommand?: string[]
  statusFile?: boolean
  env?: Record<string, string>
}

export type Agent = {
  name: string
  pane: PaneRef
  readonly pid: number
  /** The current session's id. */
  readonly session: string
  readonly transcript: string
  readonly cwd: string
  prompt(text: string): Promise<void>
  stop(text: string): Promise<void>
  fail(error: string, text: string): Promise<void>
  askPermission(ask: { command: string; tool?: string; runsForMs?: number }): Promise<void>
  subagentPermission(ask: { command: string; runsForMs?: number }): Promise<void>
  /** `/clear`: a new session of the same process in the same pane. */
  startNewSession(): Promise<void>
  setHooks(enabled: boolean): Promise<void>
  exit(): Promise<void>
  kill9(): Promise<void>
  journal(): JournalEntry[]
  /** Every key that reached it, in one string. */
  keys(): string
}

type JournalEntry = { at: number; did: string; [field: string]: unknown }

type Whereabouts = { pid: number; session: string; transcript: string; cwd: string }

const SCRIPT = fileURLToPath(new URL('./scripted-agent.mjs', import.meta.url))
const EMITTER = fileURLToPath(new URL('../../bin/trailboss-emit', import.meta.url))

export async function startAgent(
  name: string,
  world: { dir: string; server: TmuxServer },
  options: AgentOptions,
): Promise<Agent> {
  const server = options.inPaneOf
    ? serverAt(options.inPaneOf, world, options)
    : (options.server ?? world.server)
  const files = writeFiles(name, world.dir, options)
  const id = options.inPaneOf
    ? await runInShell(server, options.inPaneOf, world.dir, files.launcher)
    : await openPane(server, options.tmuxSession ?? 'work', name, files)
  const pane: PaneRef = { socket: server.socket, id }
  let last = await waitFor(() => tell(files.control, { do: 'hello' }), {
    what: `agent ${name} to be up`,
  })
  const run = async (command: Record<string, unknown>): Promise<void> => {
    last = await tell(files.control, command)
  }
  const journal = (): JournalEntry[] => readJournal(files.journal)
  const gone = (): Promise<unknown> =>
    waitFor(() => !isAlive(last.pid), { what: `agent ${name} to be gone` })
  return {
    name,
    pane,
    get pid() {
      return last.pid
    },
    get session() {
      return last.session
    },
    get transcript() {
      return last.transcript
    },
    get cwd() {
      return last.cwd
    },
    prompt: (text) => run({ do: 'prompt', text }),
    stop: (text) => run({ do: 'stop', text }),
    fail: (error, text) => run({ do: 'fail', error, text }),
    askPermission: (ask) => run({ do: 'askPermission', ...ask }),
    subagentPermission: (ask) => run({ do: 'subagentPermission', ...ask }),
    startNewSession: () => run({ do: 'clear', session: randomUUID() }),
    setHooks: (enabled) => run({ do: 'hooks', enabled }),
    exit: async () => {
      await run({ do: 'exit' })
      await gone()
    },
    kill9: async () => {
      process.kill(last.pid, 'SIGKILL')
      await gone()
    },
    journal,
    keys: () =>
      journal()
        .filter(({ did }) => did === 'keys')
        .map(({ keys }) => String(keys))
        .join(''),
  }
}

function serverAt(
  { pane }: Agent,
  world: { server: TmuxServer },
  options: AgentOptions,
): TmuxServer {
  const known = [world.server, ...(options.server ? [options.server] : [])]
  const server = known.find(({ socket }) => socket === pane.socket)
  if (!server) throw new Error(`pass the server of pane ${pane.id}`)
  return server
}

type Files = { launcher: string; control: string; journal: string; cwd: string }

function writeFiles(name: string, dir: string, options: AgentOptions): Files {
  const base = join(dir, 'agents', name)
  mkdirSync(base, { recursive: true })
  rmSync(leftFile(dir, name), { force: true })
  const cwd = options.cwd ?? options.resumes?.cwd ?? join(dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  const files = {
    launcher: join(base, 'run'),
    control: join(base, 'ctl'),
    journal: join(base, 'journal.jsonl'),
    cwd,
  }
  const script = {
    name,
    title: options.title ?? 'Claude Code',
    session: options.resumes?.session ?? randomUUID(),
    source: options.resumes ? 'resume' : 'startup',
    control: files.control,
    journal: files.journal,
    hookCommand: options.hookCommand ?? [EMITTER, 'claude-code'],
    hooks: options.hooks ?? true,
    statusFile: options.statusFile ?? true,
    flushMs: 150,
    worksForMs: options.worksForMs ?? null,
    prompt: options.prompt === undefined ? `Begin ${name}` : options.prompt,
  }
  writeFileSync(join(base, 'options.json'), JSON.stringify(script))
  writeFileSync(files.journal, '')
  const exports = Object.entries(options.env ?? {}).map(([key, value]) => `${key}=${quote(value)}`)
  const run = [...exports, quote(process.execPath), quote(SCRIPT), quote(`${base}/options.json`)]
  // Killed with -9 it leaves the terminal raw, and no shell could read a line any more.
  const after = `stty sane\n: >${quote(leftFile(dir, name))}\n`
  writeFileSync(files.launcher, `cd ${quote(cwd)} && ${run.join(' ')}\n${after}`)
  return files
}

/** Exists once the agent has left its terminal to the shell. */
function leftFile(dir: string, name: string): string {
  return join(dir, 'agents', name, 'left')
}

/** A window whose shell outlives the agent, as if a human had started it there. */
async function openPane(
  server: TmuxServer,
  tmuxSession: string,
  name: string,
  { launcher }: Files,
): Promise<string> {
  const shellCommand = `sh ${quote(launcher)}; exec sh`
  const exists = (await server.try('has-session', '-t', `=${tmuxSession}`)).code === 0
  const where = exists
    ? ['new-window', '-d', '-t', `=${tmuxSession}:`]
    : ['new-session', '-d', '-s', tmuxSession]
  return server.run(...where, '-n', name, '-P', '-F', '#{pane_id}', shellCommand)
}

/** Input typed while the terminal is still raw never becomes a line for the shell. */
async function runInShell(
  server: TmuxServer,
  { name, pane: { id: pane } }: Agent,
  dir: string,
  launcher: string,
): Promise<string> {
  await waitFor(() => existsSync(leftFile(dir, name)), { what: `${name} to leave its terminal` })
  await server.run('send-keys', '-t', pane, '-l', `sh ${quote(launcher)}`)
  await server.run('send-keys', '-t', pane, 'Enter')
  return pane
}

function tell(control: string, command: Record<string, unknown>): Promise<Whereabouts> {
  return new Promise((resolve, reject) => {
    const connection = connect(control)
    let answer = ''
    connection.setTimeout(10_000, () => connection.destroy(new Error('the agent does not answer')))
    connection.on('error', reject)
    connection.on('data', (data) => {
      answer += data
    })
    connection.on('close', () => {
      if (answer) resolve(JSON.parse(answer) as Whereabouts)
      else reject(new Error(`the agent closed the line on ${JSON.stringify(command)}`))
    })
    connection.write(`${JSON.stringify(command)}\n`)
  })
}

function readJournal(file: string): JournalEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JournalEntry)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
