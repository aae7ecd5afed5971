import * as v from 'valibot'
import { NOTICE_CHANNELS } from '../core/notice/channel.ts'
import type { NoticeRules } from '../core/notice/notice-plan.ts'
import { parseQuietHours } from '../core/notice/quiet-hours.ts'
import { WAIT_LABELS } from '../core/session/wait-label.ts'

const number = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))
const channels = v.optional(v.array(v.picklist(NOTICE_CHANNELS)), [])

/** How to get the operator's attention when something waits. */
export const NotifySchema = v.pipe(
  v.strictObject({
    /** None: there are no notices. */
    channels,
    /** How long something waits before it is announced. */
    afterSeconds: v.optional(number(0, 86_400), 15),
    /** What becomes due within this time is one notice. */
    togetherSeconds: v.optional(number(0, 3_600), 2),
    /** After how long a second notice follows; null: never. */
    againAfterMinutes: v.optional(v.nullable(number(1, 1_440)), null),
    /** Where the second one goes; none: where the first went. */
    againChannels: channels,
    /** Which kinds of wait are announced. */
    labels: v.optional(v.array(v.picklist(WAIT_LABELS)), [...WAIT_LABELS]),
    /** `22:00-07:00`, in local time. */
    quietHours: v.optional(
      v.nullable(
        v.pipe(
          v.string(),
          v.check((text) => parseQuietHours(text) !== undefined, 'two times, such as 22:00-07:00'),
        ),
      ),
      null,
    ),
    /** Whether a notice shows what is asked. */
    showAsk: v.optional(v.boolean(), true),
    /** The program and its arguments, for the channel `command`. */
    command: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.regex(/^[^\0]*$/, 'text without NUL'))),
        v.maxLength(100),
      ),
      [],
    ),
  }),
  v.check(
    ({ channels, againChannels, command }) =>
      ![...channels, ...againChannels].includes('command') || Boolean(command[0]),
    'the channel "command" needs the setting "command": a program and its arguments',
  ),
)

export type NotifySettings = v.InferOutput<typeof NotifySchema>

export function noticeRules(settings: NotifySettings): NoticeRules {
  const { againAfterMinutes, againChannels, quietHours } = settings
  const channels = [...new Set(settings.channels)]
  return {
    channels,
    afterMs: settings.afterSeconds * 1_000,
    togetherMs: settings.togetherSeconds * 1_000,
    again:
      againAfterMinutes === null
        ? undefined
        : {
            afterMs: againAfterMinutes * 60_000,
            channels: againChannels.length > 0 ? [...new Set(againChannels)] : channels,
          },
    labels: settings.labels,
    quietHours: quietHours === null ? undefined : parseQuietHours(quietHours),
  }
}
