import type { PaneRef } from '../core/pane.ts'
import type { SessionKey } from '../core/session/event.ts'
import { captureOf } from './capture.ts'
import type { Entry } from './model/entry.ts'
import type { Capture } from './model/model.ts'

export type PaneWatch = {
  current(): Entry | undefined
  capture(pane: PaneRef): Promise<string | undefined>
  onCapture(key: SessionKey, capture: Capture): void
}

/** Looks at the current entry's pane on request, one look at a time. */
export function watchPane(watch: PaneWatch): { look(): void } {
  let isLooking = false
  const look = async () => {
    const entry = watch.current()
    if (isLooking || !entry?.item.pane) return
    isLooking = true
    // A failed look is shown as such, and repeated at the next one.
    const screen = await watch.capture(entry.item.pane).catch(() => undefined)
    const captured = captureOf(entry, screen)
    isLooking = false
    watch.onCapture(entry.key, captured)
    if (watch.current()?.key !== entry.key) void look()
  }
  return { look: () => void look() }
}
