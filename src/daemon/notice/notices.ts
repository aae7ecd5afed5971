import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type NotifySettings, noticeRules } from '../../config/notify-settings.ts'
import type { NoticesView, TestedView } from '../../contract/notice.ts'
import type { QueueItem, Warning } from '../../contract/responses.ts'
import type { NoticeChannel } from '../../core/notice/channel.ts'
import {
  type Announced,
  type NoticePlan,
  type NoticeRules,
  planNotices,
} from '../../core/notice/notice-plan.ts'
import { MOST_ITEMS, noticeName, noticeOf } from '../../core/notice/notice-text.ts'
import { isQueued } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import { readNotices, saveNotices } from '../../store/tables/notices.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import type { OperatorClient } from '../../tmux/navigate.ts'
import type { Herd } from '../herd/herd.ts'
import type { Views } from '../views/views.ts'
import type { Mutes } from './mutes.ts'
import { lookForOnlookers, operatorTerminal } from './operator-view.ts'
import { needsTerminal, Outbox } from './outbox.ts'
import {
  type AgentOf,
  isGoingOn,
  noticeItemOf,
  type Waiting,
  waitedSince,
  waitId,
  waitingIn,
} from './waiting.ts'

export type NoticesParts = {
  settings: NotifySettings
  env: NodeJS.ProcessEnv
  db: DatabaseSync
  herd: Herd
  views: Pick<Views, 'item' | 'project' | 'freshen'>
  agentOf: AgentOf
  mutes: Mutes
  /** The tmux servers that answer. */
  sockets(): readonly string[]
  ask: RunCommands
  failed(error: unknown): void
}

/** Changes that come together are looked at together, and ingest never waits for it. */
const SOON_MS = 100
/** A timer stands still while the machine sleeps, and somebody may set the clock. */
const LONGEST_TIMER_MS = 60_000

type IsLookedAt = (item: QueueItem) => boolean

/**
 * Announces waits to the operator. A timer is set only while something will be due. A notice is started first and
 * stored right after that, in the same turn: if the daemon dies in between, it comes twice rather than never.
 */
export class Notices implements Disposable {
  readonly #parts: NoticesParts
  readonly #rules: NoticeRules
  readonly #outbox: Outbox
  readonly #announced = new Map<string, Announced>()
  #timer: { handle: NodeJS.Timeout; at: number } | undefined
  #isLooking = false
  #isClosed = false

  constructor(parts: NoticesParts) {
    this.#parts = parts
    this.#rules = noticeRules(parts.settings)
    const { channels, again } = this.#rules
    const all = [...channels, ...(again?.channels ?? [])]
    this.#outbox = new Outbox(all, parts.settings, parts.env, parts.herd.clock)
  }

  /** Without a channel, it costs nothing. */
  start(): void {
    if (!this.#isOn || this.#isClosed) return
    const { db, herd } = this.#parts
    const now = herd.clock.now()
    // A clock that was set back must not put the second notice off.
    for (const one of readNotices(db)) {
      this.#announced.set(one.id, { ...one, at: Math.min(one.at, now) })
    }
    herd.onChange(({ updated }) => this.#expect(updated))
    this.lookSoon()
  }

  lookSoon(): void {
    if (this.#isOn) this.#wakeIn(SOON_MS)
  }

  /** What would happen now, and why. */
  async view(): Promise<NoticesView> {
    const { settings, mutes, herd } = this.#parts
    const isLookedAt = this.#isOn ? await this.#lookForOnlookers() : undefined
    await this.#parts.views.freshen(herd.queue())
    const waiting = this.#isOn ? this.#waiting() : []
    const { fates } = this.#plan(waiting, isLookedAt)
    const wall = (at: number) => Math.round(herd.clock.toWall(at))
    return {
      channels: this.#outbox.views(),
      quietHours: settings.quietHours,
      afterSeconds: settings.afterSeconds,
      mutes: mutes.inForce(),
      waits: waiting.flatMap((each) => {
        const fate = fates.get(each.wait.id)
        if (!fate) return []
        const item = this.#parts.views.item(each.session)
        const { session, harness, label, since } = item
        const shown =
          fate.kind === 'announced'
            ? { ...fate, at: wall(fate.at) }
            : fate.kind === 'held' && fate.until !== undefined
              ? { ...fate, until: wall(fate.until) }
              : fate
        return [{ name: noticeName(item), session, harness, label, since, fate: shown }]
      }),
    }
  }

  /** Sends one on each channel, or on this one, whatever the rules say. */
  async test(channel?: NoticeChannel): Promise<TestedView> {
    const channels = channel ? [channel] : this.#outbox.channels
    const tested = await this.#outbox.test(channels, await this.#terminalFor(channels))
    this.lookSoon()
    return tested
  }

  warnings(): Warning[] {
    return this.#outbox.warnings()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer?.handle)
  }

  get #isOn(): boolean {
    return this.#outbox.channels.length > 0
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return this.lookSoon()
    this.#isLooking = true
    try {
      await this.#lookOnce()
    } catch (error) {
      this.#parts.failed(error)
      this.#wakeIn(LONGEST_TIMER_MS)
    }
    this.#isLooking = false
  }

  async #lookOnce(): Promise<void> {
    await this.#parts.views.freshen(this.#parts.herd.queue())
    const rough = this.#plan(this.#waiting())
    if (rough.sends.length === 0) return this.#sleep(rough)
    const isLookedAt = await this.#lookForOnlookers()
    // A channel that is busy now may be ready by then.
    const terminal = await this.#terminalFor(this.#outbox.channels)
    if (this.#isClosed) return
    // What was answered in the meantime is not announced.
    const waiting = this.#waiting()
    this.#send(this.#plan(waiting, isLookedAt), waiting, terminal)
    this.#sleep(this.#plan(waiting, isLookedAt))
  }

  #send(plan: NoticePlan, waiting: readonly Waiting[], terminal: OperatorClient | undefined): void {
    if (plan.sends.length === 0) return
    const { settings, views } = this.#parts
    const { showAsk } = settings
    const wall = Date.now()
    for (const { channel, level, ids } of plan.sends) {
      const about = new Set(ids)
      const items = waiting
        .filter(({ wait }) => about.has(wait.id))
        .toSorted((a, b) => a.wait.since - b.wait.since)
        .slice(0, MOST_ITEMS)
        .map(({ session }) => noticeItemOf(session, views.item(session), showAsk))
      const notice = noticeOf({ id: digestOf(level, ids), level, items, count: ids.length }, wall)
      void this.#outbox
        .send(channel, notice, terminal)
        .then((isSent) => this.#ended(channel, ids, isSent))
    }
    this.#save(plan.announced)
  }

  #ended(channel: NoticeChannel, ids: readonly string[], isSent: boolean): void {
    if (this.#isClosed) return
    const owed = isSent ? [] : ids.flatMap((id) => this.#announced.get(id) ?? [])
    if (owed.length > 0) {
      this.#save(owed.map((one) => ({ ...one, left: [...new Set([...one.left, channel])] })))
    }
    this.lookSoon()
  }

  /** In memory even if it cannot be stored: a full disk must not repeat it every second. */
  #save(announced: readonly Announced[]): void {
    const { db, herd, failed } = this.#parts
    for (const one of announced) this.#announced.set(one.id, one)
    const over = [...this.#announced.keys()].filter((id) => !isGoingOn(id, herd))
    for (const id of over) this.#announced.delete(id)
    try {
      saveNotices(db, announced, over)
    } catch (error) {
      failed(error)
    }
  }

  #waiting(): Waiting[] {
    return waitingIn(this.#parts.herd, this.#parts.views, this.#parts.agentOf)
  }

  #plan(waiting: readonly Waiting[], isLookedAt?: IsLookedAt): NoticePlan {
    const { herd, mutes, views } = this.#parts
    const sessions = new Map(waiting.map(({ session, wait }) => [wait.id, session]))
    const date = new Date()
    return planNotices({
      rules: this.#rules,
      now: herd.clock.now(),
      wall: date.getTime(),
      minute: date.getHours() * 60 + date.getMinutes() + date.getSeconds() / 60,
      waits: waiting.map(({ wait }) => wait),
      announced: this.#announced,
      mutes: mutes.inForce(),
      isLookedAt:
        isLookedAt &&
        (({ id }) => {
          const session = sessions.get(id)
          return session !== undefined && isLookedAt(views.item(session))
        }),
      pausedUntil: this.#outbox.pauses(),
    })
  }

  #lookForOnlookers(): Promise<IsLookedAt> {
    return lookForOnlookers(this.#parts.sockets(), this.#parts.ask)
  }

  async #terminalFor(channels: readonly NoticeChannel[]): Promise<OperatorClient | undefined> {
    return channels.some(needsTerminal) ? operatorTerminal(this.#parts.sockets()) : undefined
  }

  #sleep({ wakeAt }: NoticePlan): void {
    if (wakeAt === undefined) return
    this.#wakeIn(wakeAt - this.#parts.herd.clock.now())
  }

  /** Something began to wait, or is back: all that happens now is that a timer may be set earlier. */
  #expect(updated: readonly Session[]): void {
    const queued = updated.filter(isQueued)
    const fresh = queued.filter((one) => !this.#announced.has(waitId(one)))
    if (!this.#timer && queued.some((one) => this.#isOwed(waitId(one)))) this.lookSoon()
    if (fresh.length === 0) return
    const { afterMs } = this.#rules
    const dueAt = fresh.map(({ item }) => Math.max(waitedSince(item) + afterMs, item.readyAt))
    this.#wakeIn(Math.max(Math.min(...dueAt) - this.#parts.herd.clock.now(), SOON_MS))
  }

  /** It was announced, and there will be more to say. */
  #isOwed(id: string): boolean {
    const known = this.#announced.get(id)
    if (!known) return false
    return known.left.length > 0 || (known.level === 'first' && this.#rules.again !== undefined)
  }

  /** The earlier one counts. */
  #wakeIn(ms: number): void {
    const at = performance.now() + Math.min(Math.max(ms, 1), LONGEST_TIMER_MS)
    if (this.#isClosed || (this.#timer && this.#timer.at <= at)) return
    clearTimeout(this.#timer?.handle)
    const wake = () => {
      this.#timer = undefined
      void this.#look()
    }
    this.#timer = { at, handle: setTimeout(wake, at - performance.now()) }
    this.#timer.handle.unref()
  }
}

/** The same for the same waits, and with nothing in it that came from a session. */
function digestOf(level: string, ids: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([level, ids]))
    .digest('hex')
    .slice(0, 16)
}
