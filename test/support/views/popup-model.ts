import type { QueueItem } from '../../../src/contract/responses.ts'
import { captureOf } from '../../../src/tui/capture.ts'
import { entriesOf } from '../../../src/tui/model/entry.ts'
import type { Key, KeyName } from '../../../src/tui/model/keys.ts'
import {
  type Effect,
  initialModel,
  type Message,
  type Model,
  visibleEntries,
} from '../../../src/tui/model/model.ts'
import { update } from '../../../src/tui/update.ts'
import { NOW } from './queue-item.ts'

/** From a size in which everything fits to one that is too small. */
export const SIZES: [columns: number, rows: number][] = [
  [60, 15],
  [80, 24],
  [120, 30],
  [200, 50],
  [30, 8],
]

/** A popup with these items in the queue, which the operator has looked at for a while. */
export function live(items: QueueItem[], columns = 80, rows = 24): Model {
  const shown = take(initialModel({ columns, rows }, NOW, true), items)
  return { ...shown, reading: { until: NOW, isSurprise: false } }
}

/** The queue now holds these items. */
export function take(model: Model, items: QueueItem[]): Model {
  return send(model, { kind: 'queue.changed', entries: entriesOf(items), working: 0 })
}

/** The selected session's pane was captured. */
export function seen(model: Model, screen: string | undefined): Model {
  const entry = model.entries.find(({ key }) => key === model.selected)
  if (!entry) return model
  return send(model, { kind: 'pane.captured', key: entry.key, capture: captureOf(entry, screen) })
}

export function send(model: Model, message: Message): Model {
  return update(model, message)[0]
}

/** Keys are characters, or names like `enter`. */
export function run(model: Model, ...keys: string[]): [Model, Effect[]] {
  const all: Effect[] = []
  let next = model
  for (const pressed of keys) {
    const [after, effects] = update(next, key(named(pressed)))
    next = after
    all.push(...effects)
  }
  return [next, all]
}

export function press(model: Model, ...keys: string[]): Model {
  return run(model, ...keys)[0]
}

export function effectsOf(model: Model, ...keys: string[]): Effect[] {
  return run(model, ...keys)[1]
}

export function key(pressed: Key): Message {
  return { kind: 'key', key: pressed }
}

function named(pressed: string): Key {
  return Array.from(pressed).length === 1
    ? { kind: 'text', text: pressed }
    : { kind: 'named', name: pressed as KeyName }
}

export function selected(model: Model): string | undefined {
  return model.entries.find((entry) => entry.key === model.selected)?.item.session
}

export function sessions(model: Model): string[] {
  return visibleEntries(model).map(({ item }) => item.session)
}
