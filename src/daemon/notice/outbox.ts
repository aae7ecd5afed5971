import type { NotifySettings } from '../../config/notify-settings.ts'
import type { NoticesView, TestedView } from '../../contract/notice.ts'
import type { Warning } from '../../contract/responses.ts'
import { messageOf } from '../../core/errors.ts'
import type { NoticeChannel } from '../../core/notice/channel.ts'
import {
  busyAfter,
  type ChannelHealth,
  healthAfter,
  pausedUntil,
} from '../../core/notice/channel-health.ts'
import type { Notice } from '../../core/notice/notice-text.ts'
import type { AdmissionClock } from '../../service/clock.ts'
import type { OperatorClient } from '../../tmux/navigate.ts'
import { commandSender } from './command.ts'
import { desktopSender } from './desktop.ts'
import { messageSender } from './message.ts'
import { failed, type Sender, type SendResult } from './sender.ts'
import { terminalSender } from './terminal.ts'

/** The channels and how they are. One notice at a time is on its way on each of them. */
export class Outbox {
  readonly channels: readonly NoticeChannel[]
  readonly #clock: AdmissionClock
  readonly #senders: Record<NoticeChannel, Sender>
  readonly #health = new Map<NoticeChannel, ChannelHealth>()
  readonly #sentAt = new Map<NoticeChannel, number>()

  constructor(
    channels: readonly NoticeChannel[],
    { command }: Pick<NotifySettings, 'command'>,
    env: NodeJS.ProcessEnv,
    clock: AdmissionClock,
  ) {
    this.channels = [...new Set(channels)]
    this.#clock = clock
    this.#senders = {
      message: messageSender,
      bell: terminalSender('bell'),
      osc9: terminalSender('osc9'),
      osc777: terminalSender('osc777'),
      osc99: terminalSender('osc99'),
      desktop: desktopSender(env),
      command: commandSender(command, env),
    }
  }

  /** It has started when this returns. Resolves to whether it arrived. */
  async send(
    channel: NoticeChannel,
    notice: Notice,
    terminal: OperatorClient | undefined,
  ): Promise<boolean> {
    const busy = busyAfter(this.#healthOf(channel))
    this.#health.set(channel, busy)
    const result = await this.#try(channel, notice, terminal)
    const tries = 'tries' in busy ? busy.tries : 0
    this.#health.set(channel, healthAfter(result, tries, this.#clock.now()))
    return result.kind === 'sent'
  }

  /** One that works is used again at once. */
  async test(
    channels: readonly NoticeChannel[],
    terminal: OperatorClient | undefined,
  ): Promise<TestedView> {
    const title = 'This is a test of Trail Boss'
    const notice: Notice = {
      ...{ id: 'test', level: 'first', count: 0, items: [] },
      ...{ title, text: 'An agent would be named here.', line: title },
    }
    const results = await Promise.all(
      channels.map(async (channel) => {
        const result = await this.#try(channel, notice, terminal)
        const isBusy = this.#healthOf(channel).kind === 'busy'
        if (result.kind === 'sent' && !isBusy) this.#health.set(channel, { kind: 'ready' })
        return { channel, result: result.kind, why: 'why' in result ? result.why : null }
      }),
    )
    return { results }
  }

  pauses(): Map<NoticeChannel, number> {
    return new Map([...this.#health].map(([channel, health]) => [channel, pausedUntil(health)]))
  }

  views(): NoticesView['channels'] {
    return this.channels.map((channel) => {
      const health = this.#healthOf(channel)
      return {
        channel,
        state: health.kind,
        why: ('why' in health && health.why) || null,
        tries: 'tries' in health ? health.tries : 0,
        retryAt: 'retryAt' in health ? Math.round(this.#clock.toWall(health.retryAt)) : null,
        sentAt: this.#sentAt.get(channel) ?? null,
      }
    })
  }

  warnings(): Warning[] {
    return this.views().flatMap(({ channel, why, tries }) => {
      if (why === null) return []
      const times = tries === 1 ? 'once' : `${tries} times in a row`
      const text = `Notices fail on the channel ${channel} (${times}): ${why}.`
      return [{ kind: 'notify', text }]
    })
  }

  async #try(
    channel: NoticeChannel,
    notice: Notice,
    terminal: OperatorClient | undefined,
  ): Promise<SendResult> {
    try {
      const result = await this.#senders[channel](notice, terminal)
      if (result.kind === 'sent') this.#sentAt.set(channel, Date.now())
      return result
    } catch (error) {
      return failed(messageOf(error))
    }
  }

  #healthOf(channel: NoticeChannel): ChannelHealth {
    return this.#health.get(channel) ?? { kind: 'ready' }
  }
}

/** These need a terminal of the operator. */
export function needsTerminal(channel: NoticeChannel): boolean {
  switch (channel) {
    case 'message':
    case 'bell':
    case 'osc9':
    case 'osc777':
    case 'osc99':
      return true
    case 'desktop':
    case 'command':
      return false
    default:
      return channel satisfies never
  }
}
