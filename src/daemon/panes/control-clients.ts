import { messageOf } from '../../core/errors.ts'
import type { Log } from '../../service/log.ts'
import { ControlClient, type ControlConnect } from '../../tmux/control/control-client.ts'
import { createJoinedRun } from '../../tmux/control/joined-run.ts'
import { askPanes, type PanesNews, watchPanes } from '../../tmux/control/panes-subscription.ts'
import { captureAll, captureByProcess, type PaneScreen } from '../../tmux/control/screens.ts'
import type { RunCommands, TmuxResult } from '../../tmux/exec.ts'
import { isSafeWithControlClient, serverVersion } from '../../tmux/version.ts'

/** `auto`: where tmux is known to bear it. */
export type ControlClientChoice = 'auto' | 'on' | 'off'

type Known = { client: ControlClient; failure: string | undefined; refusedUntil: number }

const ASK_VERSION_AGAIN_MS = 60_000

/**
 * One control client for each tmux server. Where there is none, because tmux does not take it or it
 * would be in the operator's way, the same is asked by a process: dearer, and without news.
 */
export class ControlClients implements AsyncDisposable {
  readonly #known = new Map<string, Known>()
  readonly #choice: ControlClientChoice
  readonly #log: Log
  readonly #news: (socket: string, news: PanesNews) => void
  readonly #byProcess = createJoinedRun()
  #goingAlong: (socket: string) => void = () => {}

  constructor(
    choice: ControlClientChoice,
    log: Log,
    news: (socket: string, news: PanesNews) => void,
  ) {
    this.#choice = choice
    this.#log = log
    this.#news = news
  }

  /** Connects to those that it is not connected to, as often as a failure lets it, and leaves all others. */
  async connect(sockets: readonly string[]): Promise<void> {
    const left = [...this.#known].filter(([socket]) => !sockets.includes(socket))
    for (const [socket] of left) this.#known.delete(socket)
    await Promise.all([
      ...left.map(([, { client }]) => client[Symbol.asyncDispose]()),
      ...sockets.map((socket) => this.#connect(socket)),
    ])
  }

  isConnected(socket: string): boolean {
    return this.#known.get(socket)?.client.isConnected() ?? false
  }

  /** Why there is no control client at this server; undefined while there is one. */
  failureAt(socket: string): string | undefined {
    if (this.isConnected(socket)) return undefined
    return this.#known.get(socket)?.failure ?? 'not tried yet'
  }

  /** False where none is to be: that is as it should be. */
  isWanted(socket: string): boolean {
    return (this.#known.get(socket)?.refusedUntil ?? 0) === 0
  }

  /** Asks for the news that a control client would have told, where there is none. */
  async askNews(): Promise<void> {
    const alone = [...this.#known.keys()].filter((socket) => !this.isConnected(socket))
    await Promise.all(
      alone.map(async (socket) => {
        const news = await askPanes(socket)
        if (news) this.#news(socket, news)
      }),
    )
  }

  /** `goAlong` is told of a process that starts for this server: screens that are asked for then cost none. */
  beforeProcess(goAlong: (socket: string) => void): void {
    this.#goingAlong = goAlong
  }

  run: RunCommands = async (socket, commands) => {
    const client = this.#clientAt(socket)
    if (!client) return await this.#runByProcess(socket, commands)
    const sequence = commands.map((words) => ({ words }))
    const answers = await client.run([sequence]).catch(() => undefined)
    // What is asked here can be asked twice.
    if (!answers) return await this.#runByProcess(socket, commands)
    return resultOf(answers.flat())
  }

  /** In one pass. Rejects when tmux could not be asked, which says nothing about any pane. */
  async screens(
    socket: string,
    panes: readonly string[],
  ): Promise<Map<string, PaneScreen | undefined>> {
    const client = this.#clientAt(socket)
    return client
      ? await captureAll(client, panes)
      : await captureByProcess(socket, panes, this.#byProcess)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const clients = [...this.#known.values()].map(({ client }) => client)
    this.#known.clear()
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()))
  }

  #runByProcess(...[socket, commands]: Parameters<RunCommands>): Promise<TmuxResult> {
    this.#goingAlong(socket)
    return this.#byProcess(socket, commands)
  }

  async #connect(socket: string): Promise<void> {
    const known = this.#known.get(socket) ?? this.#know(socket)
    const wasConnected = known.client.isConnected()
    if (!wasConnected && performance.now() < known.refusedUntil) return
    const refusal = wasConnected ? undefined : await this.#refusal(socket)
    known.refusedUntil = refusal === undefined ? 0 : performance.now() + ASK_VERSION_AGAIN_MS
    const result: ControlConnect =
      refusal === undefined
        ? await known.client.connect()
        : { ok: false, kind: 'refused', detail: refusal }
    const failure = failureOf(result)
    if (failure !== known.failure || (result.ok && !wasConnected)) {
      this.#log.info(
        { socket, failure },
        result.ok ? 'control client attached' : 'no control client',
      )
    }
    known.failure = failure
  }

  async #refusal(socket: string): Promise<string | undefined> {
    if (this.#choice === 'on') return undefined
    if (this.#choice === 'off') return 'it is switched off ("controlClient" in the settings)'
    const version = await serverVersion(socket)
    if (version === undefined) return 'the server does not say which tmux it is'
    return isSafeWithControlClient(version)
      ? undefined
      : `tmux ${version.text} can crash with one attached (fixed in 3.8)`
  }

  #know(socket: string): Known {
    const client = new ControlClient(socket, {
      lost: (error) => this.#log.warn({ socket, reason: messageOf(error) }, 'control client lost'),
    })
    watchPanes(client, (news) => this.#news(socket, news))
    const known = { client, failure: undefined, refusedUntil: 0 }
    this.#known.set(socket, known)
    return known
  }

  #clientAt(socket: string): ControlClient | undefined {
    const client = this.#known.get(socket)?.client
    return client?.isConnected() ? client : undefined
  }
}

function failureOf(result: ControlConnect): string | undefined {
  return result.ok ? undefined : result.detail || result.kind
}

function resultOf(answers: readonly { ok: boolean; lines: string[] }[]): TmuxResult {
  const failed = answers.find(({ ok }) => !ok)
  if (failed) return { ok: false, kind: 'failed', stderr: failed.lines.join('\n'), code: 1 }
  return { ok: true, stdout: answers.flatMap(({ lines }) => lines).join('\n') }
}
