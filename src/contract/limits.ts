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

/** Whether the JSON of a value has at most `limit` characters. Never builds the JSON of a large value. */
export function isJsonWithin(value: unknown, limit: number): boolean {
  return charsLeft(value, limit) >= 0 && (JSON.stringify(value) ?? '').length <= limit
}

/** How many characters remain after the least that the JSON takes; below zero as soon as there are too many. */
function charsLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (value === null || typeof value !== 'object') return left - 1
  let rest = left
  if (Array.isArray(value)) {
    for (const item of value) {
      rest = charsLeft(item, rest - 1)
      if (rest < 0) return rest
    }
    return rest
  }
  for (const name in value) {
    rest = charsLeft((value as Record<string, unknown>)[name], rest - name.length)
    if (rest < 0) return rest
  }
  return rest
}

/** How long whoever sends a reply waits for its proof: longer than the daemon does. */
export const REPLY_TIMEOUT_MS = 30_000
