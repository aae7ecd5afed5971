/** Bodies on the unix socket's hook route: a hook may carry a tool's whole output. */
export const HOOK_BODY_BYTES = 16 * 1024 * 1024
/** Every other body. */
export const BODY_BYTES = 256 * 1024
export const MAX_DEPTH = 32
/** A tool input larger than this is shown by its ask text only. */
export const ASK_INPUT_CHARS = 8_192

/** Whether a parsed JSON value nests deeper than `limit`. Never recurses. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((item) =>
      item !== null && typeof item === 'object' ? Object.values(item) : [],
    )
    if (level.length === 0) return false
  }
  return true
}
