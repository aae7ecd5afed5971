/** The hooks that we register: all that `hook.ts` understands, each with its timeout in seconds. */
const TIMEOUTS = {
  SessionStart: 5,
  UserPromptSubmit: 5,
  PreToolUse: 5,
  PermissionRequest: 5,
  PostToolUse: 5,
  Stop: 5,
  SubagentStop: 5,
  // Codex allows these two 3 seconds at most, and warns about more (0.166.0).
  Interrupt: 3,
  SessionEnd: 3,
} as const

export type CodexHookEvent = keyof typeof TIMEOUTS

/** In the order in which we write them. */
export const HOOK_EVENTS = Object.keys(TIMEOUTS) as CodexHookEvent[]

export function timeoutOf(event: string): number {
  return Object.hasOwn(TIMEOUTS, event) ? TIMEOUTS[event as CodexHookEvent] : 5
}
