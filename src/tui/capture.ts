import type { Entry } from './model/entry.ts'
import type { Capture } from './model/model.ts'
import { coloredLines } from './pane-colors.ts'

/** A pane's screen, safe to show and without the empty rows at its end. */
export function captureOf(entry: Entry, screen: string | undefined): Capture {
  if (screen === undefined) return { pane: entry.pane, lines: undefined }
  const lines = coloredLines(screen)
  const last = lines.findLastIndex((line) => line.some(([, text]) => text.trim() !== ''))
  return { pane: entry.pane, lines: lines.slice(0, last + 1) }
}
