/**
 * The hooks that we register: all that `hook.ts` understands, each with the first version of Claude Code that
 * knows it. An unknown event opens a blocking warning at the start, and makes older versions ignore the whole
 * file.
 */
const SINCE = {
  SessionStart: '1.0.62',
  SessionEnd: '1.0.85',
  UserPromptSubmit: '1.0.53',
  PreToolUse: '1.0.23',
  PermissionRequest: '2.0.45',
  PostToolUse: '1.0.23',
  PostToolUseFailure: '2.0.56',
  Stop: '1.0.31',
  StopFailure: '2.1.78',
  SubagentStop: '1.0.41',
  Elicitation: '2.1.63',
  ElicitationResult: '2.1.63',
  Notification: '1.0.23',
} as const

export type HookEvent = keyof typeof SINCE

/** In the order in which we write them. */
export const HOOK_EVENTS = Object.keys(SINCE) as HookEvent[]

/** Everybody who updates at all has a newer version than this. */
export const OLDEST_LIKELY_VERSION = '2.1.0'

export function eventsKnownTo(version: string): HookEvent[] {
  return HOOK_EVENTS.filter((event) => !isOlder(version, SINCE[event]))
}

/** Compares three numbers; what follows them, such as `-beta.1`, does not count. */
export function isOlder(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map((text) => text.split('.').map(Number.parseFloat))
  for (const index of [0, 1, 2]) {
    const difference = (mine?.[index] ?? 0) - (theirs?.[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
