import { type RunCommands, runCommands, type TmuxResult } from '../exec.ts'
import { listPanes, type PaneListing } from '../panes.ts'
import { Attachment, type ControlClientChoice, type LinkEvents } from './attachment.ts'
import { type CaptureRequest, CaptureSchedule, type PassReason } from './capture-schedule.ts'
import { createJoinedRun } from './joined-run.ts'
import { captureAll, captureByProcess, type PaneScreen } from './screens.ts'
import { ServerChanges } from './server-changes.ts'

type Commands = Parameters<RunCommands>[1]
/** A write in progress, and the next one. */
type Writing = { next: (() => Commands) | undefined }
type Screens = ReadonlyMap<string, PaneScreen | undefined>

/** The screens of panes, undefined for one that is gone; `could-not-observe` says nothing about any pane. */
export type Captured = Screens | 'could-not-observe'

export type LinkOptions = {
  controlClient: ControlClientChoice
  events: LinkEvents
  /** What to capture from this server, requested whenever there may be a pass. */
  requests(socket: string, now: number): CaptureRequest[]
  /** Runs a process. */
  run?: RunCommands
}

/** The commands that go along with a listing carry the heartbeat, which is valid for 15 s, and a listing may be late. */
const LEAVE_OUT_WITHIN_MS = 7_000
const BETWEEN_WRITES_MS = 20

/**
 * The single path to a tmux server for callers that poll. They say what they want to know, and how soon; the
 * link joins requests, over its control client or in one process for all.
 */
export class ServerLink implements AsyncDisposable {
  readonly #socket: string
  readonly #options: LinkOptions
  readonly #attachment: Attachment
  readonly #changes: ServerChanges
  readonly #byProcess: RunCommands
  readonly #schedule: CaptureSchedule
  #listing: Promise<PaneListing> | undefined
  #isLeftOut = false
  #sentAlongAt = 0
  #writing: Writing | undefined
  #passing: Promise<unknown> = Promise.resolve()

  constructor(socket: string, options: LinkOptions) {
    this.#socket = socket
    this.#options = options
    this.#attachment = new Attachment(socket, options.controlClient, options.events)
    this.#changes = new ServerChanges(socket)
    this.#byProcess = createJoinedRun(options.run ?? runCommands)
    this.#schedule = new CaptureSchedule(
      () => this.bringsNews,
      () => void this.captureDue(),
    )
  }

  /** Whether tmux reports changes by itself. */
  get bringsNews(): boolean {
    return this.#attachment.client !== undefined
  }

  get control(): Attachment['state'] {
    return this.#attachment.state
  }

  attach(): Promise<void> {
    return this.#attachment.attach()
  }

  async detach(): Promise<void> {
    await this.#attachment[Symbol.asyncDispose]()
  }

  askNews(): Promise<void> {
    return this.#attachment.askNews()
  }

  /** Checks without asking the server. */
  seemsChanged(): boolean {
    return this.#changes.isLikely()
  }

  /** Its panes as of now; overlapping calls share one answer. */
  list(): Promise<PaneListing> {
    return this.#list([])
  }

  /**
   * The same with a write that goes along. If nothing has changed on a server and a listing costs a process,
   * every other one is left out: it costs as much as everything else in a second.
   */
  async listAndSet(write: () => Commands): Promise<PaneListing | 'left-out'> {
    // The write must not get lost to a listing that is already in progress.
    while (this.#listing) await this.#listing
    this.#isLeftOut = this.#mayLeaveOut()
    if (this.#isLeftOut) return 'left-out'
    this.#sentAlongAt = Date.now()
    return await this.#list(write())
  }

  /** Asks tmux anything else. The commands must only read, because they may run twice. */
  ask(commands: Commands): Promise<TmuxResult> {
    return this.#run(this.#socket, commands)
  }

  /** Sets options. Only one write is in progress at a time; of those that arrive in the meantime, the last goes out. */
  set(write: () => Commands): void {
    if (this.#writing) {
      this.#writing.next = write
      return
    }
    const commands = write()
    const writing: Writing = { next: undefined }
    this.#writing = writing
    void this.#run(this.#socket, commands).finally(() => {
      const finish = () => {
        this.#writing = undefined
        if (writing.next) this.set(writing.next)
      }
      if (writing.next) setTimeout(finish, BETWEEN_WRITES_MS)
      else finish()
    })
  }

  /** These screens as of now. */
  capture(panes: readonly string[]): Promise<Captured> {
    return this.#pass('asked', panes)
  }

  /** Captures those that can wait no longer, and with them all that are due. */
  async captureDue(): Promise<void> {
    await this.#pass('time')
  }

  /** The requests have changed. */
  reschedule(): void {
    this.#schedule.arm(this.#options.requests(this.#socket, Date.now()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#schedule[Symbol.dispose]()
    await this.detach()
  }

  #list(also: Commands): Promise<PaneListing> {
    this.#listing ??= listPanes(this.#socket, also, this.#run)
      .then((listing) => {
        this.#changes.listed(listing)
        return listing
      })
      .finally(() => {
        this.#listing = undefined
      })
    return this.#listing
  }

  /** One after the other, because two simultaneous looks would count twice. */
  #pass(reason: PassReason, panes: readonly string[] = []): Promise<Captured> {
    const pass = this.#passing
      .then(() => this.#captureWithDue(reason, panes))
      .catch((error: unknown): Captured => {
        this.#options.events.failed(error)
        return 'could-not-observe'
      })
      .finally(() => this.reschedule())
    this.#passing = pass
    return pass
  }

  async #captureWithDue(reason: PassReason, panes: readonly string[]): Promise<Captured> {
    const askedAt = Date.now()
    const requests = this.#options.requests(this.#socket, askedAt)
    const due = this.#schedule.due(requests, askedAt, reason)
    const all = [...due.map(({ pane }) => pane), ...panes]
    if (all.length === 0) return new Map()
    const captured = await this.#capture(all)
    for (const { pane, take } of due) {
      take(captured === 'could-not-observe' ? undefined : captured.get(pane), askedAt)
    }
    return captured
  }

  async #capture(panes: readonly string[]): Promise<Captured> {
    const { client } = this.#attachment
    const captured = client
      ? captureAll(client, panes)
      : captureByProcess(this.#socket, panes, this.#byProcess)
    return await captured.catch(() => 'could-not-observe')
  }

  #mayLeaveOut(): boolean {
    if (this.bringsNews || this.#isLeftOut) return false
    return Date.now() - this.#sentAlongAt < LEAVE_OUT_WITHIN_MS && this.#changes.areUnlikely()
  }

  #run: RunCommands = async (socket, commands) => {
    const { client } = this.#attachment
    const answers = await client?.run([commands.map((words) => ({ words }))]).catch(() => undefined)
    if (answers) return resultOf(answers.flat())
    // These requests are safe to repeat. Due screens go along with the process.
    void this.#pass('process')
    return await this.#byProcess(socket, commands)
  }
}

function resultOf(answers: readonly { ok: boolean; lines: string[] }[]): TmuxResult {
  const failed = answers.find(({ ok }) => !ok)
  if (failed) return { ok: false, kind: 'failed', stderr: failed.lines.join('\n'), code: 1 }
  return { ok: true, stdout: answers.flatMap(({ lines }) => lines).join('\n') }
}
