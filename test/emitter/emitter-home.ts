import { execFileSync, type StdioOptions, spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const EMITTER = fileURLToPath(new URL('../../bin/trailboss-emit', import.meta.url))

/** Every program that the emitter starts, curl apart. */
const TOOLS = ['cat', 'date', 'head', 'ls', 'mkdir', 'mv', 'rm', 'sleep']

/**
 * With these the emitter has as long as a busy machine needs. By itself it returns after 60 ms and gives up a
 * daemon after 150 ms, and then it is a matter of time where an event is.
 */
const PATIENT = {
  curl: `exec ${programPath('curl')} "$@" --max-time 20`,
  sleep: `case $1 in 0.06) set 5 ;; esac; exec ${programPath('sleep')} "$@"`,
}

export type Outcome = {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export type RunOptions = {
  args?: string[]
  env?: NodeJS.ProcessEnv
  /** The shell and its options; default: what the script's first line says. */
  shell?: readonly string[]
  stdin?: string | Buffer
}

/** An emitter at work: `done` is settled when it has ended and let go of its output. */
export type Run = { pid: number; done: Promise<Outcome> }

/** A stdin that stays open until the test closes it, also when the emitter is gone. */
export type OpenStdin = Disposable & { write(text: string): void }

/** A throwaway TRAILBOSS_HOME and what is needed to run emitters against it. */
export class EmitterHome implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'tb-emit-'))
  readonly home = join(this.root, 'home')
  readonly socket = join(this.home, 'trailboss.sock')
  readonly spool = join(this.home, 'spool')

  constructor() {
    mkdirSync(this.home, { mode: 0o700 })
  }

  env(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const { PATH } = process.env
    return { PATH, HOME: this.root, TRAILBOSS_HOME: this.home, ...more }
  }

  start(options: RunOptions = {}): Run {
    const { done, child } = this.#spawn(options, 'pipe')
    // An emitter that has nothing to send does not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.stdin ?? '')
    return { pid: child.pid ?? 0, done }
  }

  run(options: RunOptions = {}): Promise<Outcome> {
    return this.start(options).done
  }

  /** Node closes a child's stdin when the child is gone, so this one is a pipe of our own. */
  startWithOpenStdin(options: RunOptions = {}): Run & { stdin: OpenStdin } {
    const fifo = join(mkdtempSync(join(this.root, 'stdin-')), 'fifo')
    execFileSync('mkfifo', [fifo])
    const writer = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    const reader = openSync(fifo, constants.O_RDONLY)
    const { done, child } = this.#spawn(options, reader)
    closeSync(reader)
    const stdin = {
      write: (text: string) => void writeSync(writer, text),
      [Symbol.dispose]: () => closeSync(writer),
    }
    return { pid: child.pid ?? 0, done, stdin }
  }

  #spawn({ args = ['claude-code'], env, shell = [] }: RunOptions, stdin: 'pipe' | number) {
    const [file = EMITTER, ...rest] = [...shell, EMITTER, ...args]
    const stdio: StdioOptions = [stdin, 'pipe', 'pipe']
    const child = spawn(file, rest, { env: this.env(env), cwd: this.root, stdio })
    const output = { stdout: '', stderr: '' }
    child.stdout?.on('data', (chunk) => {
      output.stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      output.stderr += chunk
    })
    const done = new Promise<Outcome>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, ...output }))
    })
    return { child, done }
  }

  /** A PATH with every tool but curl, or with a curl and other tools of the test's own making. */
  pathWith(programs: Record<string, string> = {}): string {
    const own = { sleep: PATIENT.sleep, ...programs }
    const bin = this.#binWith(own)
    for (const tool of TOOLS) {
      if (!(tool in own)) symlinkSync(programPath(tool), join(bin, tool))
    }
    return bin
  }

  /** A PATH with which no deadline of the emitter's decides, or only when it returns. */
  patientPath({ returnsInTime = false } = {}): string {
    const { curl, sleep } = PATIENT
    const bin = this.#binWith(returnsInTime ? { curl } : { curl, sleep })
    return [bin, process.env['PATH']].join(delimiter)
  }

  #binWith(programs: Record<string, string>): string {
    const bin = mkdtempSync(join(this.root, 'bin-'))
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    return bin
  }

  /** Names in the spool: `files` are events, `temporary` ones are not yet. */
  spooled(): { files: string[]; temporary: string[] } {
    const names = listOrNone(this.spool)
    return {
      files: names.filter((name) => !name.startsWith('.')),
      temporary: names.filter((name) => name.startsWith('.')),
    }
  }

  spooledEnvelopes(): unknown[] {
    return this.spooled().files.map((name) =>
      JSON.parse(readFileSync(join(this.spool, name), 'utf8')),
    )
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

export function programPath(name: string): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, name))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
  if (!found) throw new Error(`${name} is not in PATH`)
  return found
}

function listOrNone(dir: string): string[] {
  return statSync(dir, { throwIfNoEntry: false }) ? readdirSync(dir).toSorted() : []
}
