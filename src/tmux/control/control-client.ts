import { messageOf, TrailBossError } from '../../core/errors.ts'
import { runTmux, startTmux, type TmuxResult } from '../exec.ts'
import {
  type ControlAnswer,
  ControlConnection,
  type ControlSequence,
} from './control-connection.ts'
import { chooseSession, SESSIONS_COMMANDS } from './control-session.ts'

/** `refused`: tmux would have accepted it, but it would have been in the operator's way. */
export type ControlConnect =
  | { ok: true; serverPid: number }
  | { ok: false; kind: Extract<TmuxResult, { ok: false }>['kind'] | 'refused'; detail: string }

export type ControlClientOptions = {
  timeoutMs?: number
  /** Called once for each lost connection, not for one that was closed. */
  lost?: (error: TrailBossError) => void
}

type Subscription = { format: string; changed: (value: Buffer) => void }
type Place = { id: string; activity: number }
type Failure = Extract<ControlConnect, { ok: false }>

const TIMEOUT_MS = 2_000
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
/** A connection that is lost sooner counts as failed. */
const STEADY_MS = 10_000
const WHERE = ['display-message', '-p', 'w #{pid} #{session_id} #{session_activity}']
// Clients with a terminal are named after its path; those in control mode, including ours, are not.
const OPERATOR_CAME = /^%client-session-changed \/\S* (\$\d+) /
const MAY_HAVE_TO_MOVE = /^%(client-detached \/|sessions?-changed\b)/

/**
 * The one control-mode client of a tmux server: a command costs a fraction of a process, and tmux
 * reports changes. It starts no server and no session, gets no output of panes, and has no size. It never
 * connects by itself: the caller does, as often as it likes. Soon after a failure, a call repeats that
 * failure and tries nothing.
 */
export class ControlClient implements AsyncDisposable {
  readonly #socket: string
  readonly #timeoutMs: number
  readonly #lost: (error: TrailBossError) => void
  readonly #subscriptions = new Map<string, Subscription>()
  #connection: ControlConnection | undefined
  #connecting: Promise<ControlConnect> | undefined
  #serverPid = 0
  #connectedAt = 0
  #place: Place | undefined
  #failure: Failure | undefined
  #failures = 0
  #retryAt = 0
  #moving: Promise<void> | undefined
  #mayHaveToMove = false
  #isClosed = false

  constructor(socket: string, { timeoutMs = TIMEOUT_MS, lost }: ControlClientOptions = {}) {
    this.#socket = socket
    this.#timeoutMs = timeoutMs
    this.#lost = lost ?? (() => {})
  }

  isConnected(): boolean {
    return this.#connection !== undefined
  }

  /** Attaches if it is not attached. Calls that overlap share one try. */
  async connect(): Promise<ControlConnect> {
    if (this.#connection) return { ok: true, serverPid: this.#serverPid }
    if (this.#failure && performance.now() < this.#retryAt) return this.#failure
    this.#connecting ??= this.#attach().finally(() => {
      this.#connecting = undefined
    })
    return await this.#connecting
  }

  /** Runs one command by its words. Rejects if there is no connection or it is lost. */
  async command(...words: string[]): Promise<ControlAnswer> {
    const [[answer] = []] = await this.run([[{ words }]])
    return answer ?? { ok: false, lines: [] }
  }

  /** Many commands in one write; the answers are in the same order. */
  async run(sequences: readonly ControlSequence[]): Promise<ControlAnswer[][]> {
    if (this.#connection) return await this.#connection.run(sequences)
    const message = `There is no control client at the tmux server ${this.#socket}.`
    throw new TrailBossError('TMUX_UNREACHABLE', message, { hint: 'Connect it first.' })
  }

  /**
   * Reports the value of a format, at first and then when it has changed, at most once a second, over this and
   * every later connection. The value must not contain a line break. Call the result to end it.
   */
  subscribe(name: string, format: string, changed: (value: Buffer) => void): () => void {
    this.#subscriptions.set(name, { format, changed })
    this.#send(['refresh-client', '-B', `${name}::${format}`])
    return () => {
      if (this.#subscriptions.delete(name)) this.#send(['refresh-client', '-B', name])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#connecting
    const connection = this.#connection
    this.#connection = undefined
    await connection?.[Symbol.asyncDispose]()
  }

  async #attach(): Promise<ControlConnect> {
    const [sessions, clients] = SESSIONS_COMMANDS
    const seen = await runTmux(this.#socket, [...sessions, ';', ...clients], {
      timeoutMs: this.#timeoutMs,
    })
    if (!seen.ok) return this.#fail(seen.kind, seen.stderr.trim())
    const choice = chooseSession(seen.stdout.split('\n'), this.#place)
    if ('refuse' in choice) return this.#fail('refused', choice.refuse)
    const connection = this.#open(choice.join)
    try {
      await connection.attached()
      const here = placeIn((await connection.run([[{ words: WHERE }]])).flat())
      if (!here || this.#isClosed) throw new Error('it is not attached')
      this.#place = here.place
      this.#serverPid = here.serverPid
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      return this.#fail('failed', messageOf(error))
    }
    this.#connection = connection
    this.#connectedAt = performance.now()
    this.#failure = undefined
    for (const [name, { format }] of this.#subscriptions) {
      this.#send(['refresh-client', '-B', `${name}::${format}`])
    }
    return { ok: true, serverPid: this.#serverPid }
  }

  #open(session: string): ControlConnection {
    // -N: no server is started. -E: the session's environment stays as the operator left it.
    const attach = ['-N', '-C', 'attach-session', '-E', '-f', 'no-output,ignore-size']
    const connection: ControlConnection = new ControlConnection(
      startTmux(this.#socket, [...attach, '-t', session]),
      {
        socket: this.#socket,
        timeoutMs: this.#timeoutMs,
        notified: (line) => this.#notified(line),
        lost: (error) => {
          if (this.#connection === connection) this.#drop(error)
        },
      },
    )
    return connection
  }

  #drop(error: TrailBossError): void {
    this.#connection = undefined
    if (performance.now() - this.#connectedAt < STEADY_MS) this.#fail('failed', error.message)
    else this.#failures = 0
    this.#lost(error)
  }

  #fail(kind: Failure['kind'], detail: string): Failure {
    this.#failures += 1
    const pause = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LAST_RETRY_MS)
    this.#retryAt = performance.now() + pause
    this.#failure = { ok: false, kind, detail }
    return this.#failure
  }

  #notified(line: Buffer): void {
    const text = line.toString('latin1')
    const [head, name] = /^%subscription-changed (\S+) [^:]*: /.exec(text) ?? []
    if (head && name) this.#subscriptions.get(name)?.changed(line.subarray(head.length))
    const [, session] = OPERATOR_CAME.exec(text) ?? []
    if (session && session === this.#place?.id) this.#place = { id: session, activity: 0 }
    if (MAY_HAVE_TO_MOVE.test(text)) this.#move()
  }

  /** Sends a command without waiting for it. A loss is reported elsewhere. */
  #send(words: string[]): void {
    if (this.#connection) this.command(...words).catch(() => {})
  }

  /** Only one move at a time; anything in the meantime is checked afterwards. */
  #move(): void {
    this.#mayHaveToMove = true
    this.#moving ??= this.#moveUntilSettled()
      .catch(() => {})
      .finally(() => {
        this.#moving = undefined
      })
  }

  async #moveUntilSettled(): Promise<void> {
    while (this.#mayHaveToMove && this.#connection) {
      this.#mayHaveToMove = false
      await this.#moveOutOfTheWay(this.#connection)
    }
  }

  async #moveOutOfTheWay(connection: ControlConnection): Promise<void> {
    const look = [...SESSIONS_COMMANDS, WHERE].map((words) => ({ words }))
    const answers = (await connection.run([look])).flat()
    const here = placeIn(answers)
    // tmux itself moves it when its session is destroyed and detach-on-destroy is off.
    if (here && here.place.id !== this.#place?.id) this.#place = here.place
    const seen = answers.flatMap(({ lines }) => lines)
    const choice = chooseSession(seen, this.#place)
    if ('refuse' in choice) {
      await connection.close(choice.refuse)
    } else if (choice.join !== this.#place?.id) {
      const go = ['switch-client', '-E', '-t', choice.join]
      const there = placeIn((await connection.run([[{ words: go }, { words: WHERE }]])).flat())
      if (there) this.#place = there.place
    }
  }
}

function placeIn(
  answers: readonly ControlAnswer[],
): { serverPid: number; place: Place } | undefined {
  const [, pid, id, activity] =
    answers
      .flatMap(({ lines }) => lines)
      .map((line) => /^w (\d+) (\$\d+) (\d+)$/.exec(line))
      .find((match) => match !== null) ?? []
  if (!id) return undefined
  return { serverPid: Number(pid), place: { id, activity: Number(activity) } }
}
