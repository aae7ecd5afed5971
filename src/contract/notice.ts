import * as v from 'valibot'
import { NOTICE_CHANNELS, type NoticeChannel } from '../core/notice/channel.ts'
import { LONGEST_MUTE_MS, type Mute } from '../core/notice/mute.ts'
import type { Fate } from '../core/notice/notice-plan.ts'
import type { WaitLabel } from '../core/session/wait-label.ts'
import { socketPath } from './agent-event.ts'

export const TestBody = v.strictObject({ channel: v.optional(v.picklist(NOTICE_CHANNELS)) })

export const MuteBody = v.strictObject({
  target: v.pipe(v.string(), v.minLength(1), v.maxLength(512)),
  /** For how long; without it, until it is taken back. */
  ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LONGEST_MUTE_MS))),
  off: v.optional(v.boolean()),
  /** The tmux server on which to look for a pane first. */
  socket: v.optional(socketPath),
})
export type MuteBody = v.InferOutput<typeof MuteBody>

/** What a notice would do now. Times are epoch ms. */
export type NoticesView = {
  channels: {
    channel: NoticeChannel
    state: 'ready' | 'busy' | 'nobody' | 'failing'
    why: string | null
    tries: number
    retryAt: number | null
    sentAt: number | null
  }[]
  quietHours: string | null
  afterSeconds: number
  mutes: Mute[]
  /** Oldest first. */
  waits: {
    name: string
    session: string
    harness: string
    label: WaitLabel
    since: number
    fate: Fate
  }[]
}

export type TestedView = {
  results: { channel: NoticeChannel; result: 'sent' | 'nobody' | 'failed'; why: string | null }[]
}

/** `changed`: the mute that was added or taken back. */
export type MutesView = { mutes: Mute[]; changed?: Mute }
