import type { Paint } from './paint.ts'

/** When and where something is read. Without a width, such as in a pipe, no line is cut or wrapped. */
export type Reader = { now: number; width?: number; paint?: Paint; home?: string | undefined }

/** Longer lines are hard to read. */
const WIDEST_PROSE = 100

export function proseWidth({ width = Number.POSITIVE_INFINITY }: Reader): number {
  return width === Number.POSITIVE_INFINITY ? width : Math.min(width, WIDEST_PROSE)
}

/** The operator's own directory is `~`. */
export function shownPath(path: string, { home }: Reader): string {
  const isWithin = home && (path === home || path.startsWith(`${home}/`))
  return isWithin ? `~${path.slice(home.length)}` : path
}
