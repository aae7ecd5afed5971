/** The ways a notice can reach the operator. */
export const NOTICE_CHANNELS = [
  'message',
  'bell',
  'osc9',
  'osc777',
  'osc99',
  'desktop',
  'command',
] as const

export type NoticeChannel = (typeof NOTICE_CHANNELS)[number]

/** `again`: the second, louder one, about the same wait. */
export type NoticeLevel = 'first' | 'again'
