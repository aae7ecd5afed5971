import type { QueueItem } from '../../src/contract/responses.ts'
import { captureOf } from '../../src/tui/capture.ts'
import { entriesOf } from '../../src/tui/entry.ts'
import type { Key } from '../../src/tui/keys.ts'
import { initialModel, type Message, type Model } from '../../src/tui/model.ts'
import { update } from '../../src/tui/update.ts'
import { NOW } from './queue-item.ts'

/** From one in which everything has its place to one that is too small for it. */
export const SIZES: [columns: number, rows: number][] = [
  [60, 15],
  [80, 24],
  [120, 30],
  [200, 50],
  [30, 8],
]

/** A popup of that size, with these in the queue. */
export function live(items: QueueItem[], columns: number, rows: number): Model {
  const message: Message = { kind: 'queue.changed', entries: entriesOf(items) }
  return send(initialModel({ columns, rows }, NOW, true), message)
}

/** The selected session's pane was looked at. */
export function seen(model: Model, screen: string | undefined): Model {
  const entry = model.entries.find(({ key }) => key === model.selected)
  if (!entry) return model
  return send(model, { kind: 'pane.captured', key: entry.key, capture: captureOf(entry, screen) })
}

export function press(model: Model, ...texts: string[]): Model {
  const keyOf = (pressed: string): Key =>
    pressed === '\r' ? { kind: 'named', name: 'enter' } : { kind: 'text', text: pressed }
  return texts.reduce((next, pressed) => send(next, { kind: 'key', key: keyOf(pressed) }), model)
}

export function send(model: Model, message: Message): Model {
  return update(model, message)[0]
}
