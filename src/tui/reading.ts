import { type Message, type Model, type Update, withNotice } from './model/model.ts'

/** Keys of this time were meant for what was there before. */
const GLANCE_MS = 300
/** The same, when the queue moved another item under the key. */
const READING_MS = 1_000

/** What a key does to the selected item, other than going there. */
const ACTS = new Set(['s', 'd', 'D', 'z', 'r', 'x', 'm', 'M'])

/** The selection may be another one now, and somebody has to read it first. */
export function withReading(before: Model, after: Model, { kind }: Message): Model {
  const hasLeft = !after.entries.some(({ key }) => key === after.leaving)
  const next = hasLeft ? { ...after, leaving: undefined } : after
  if (next.selected === before.selected) return next
  const isOwnMove =
    kind === 'key' || (before.leaving !== undefined && before.leaving === before.selected)
  const isExpected = isOwnMove || before.connection.kind === 'connecting'
  const until = next.now + (isExpected ? GLANCE_MS : READING_MS)
  return { ...next, reading: { until, isSurprise: !isExpected } }
}

export function isUnread({ now, reading }: Model): boolean {
  return now < reading.until
}

/** Nothing, if the key was meant for the item that the queue has just taken from under it. */
export function refusedAct(model: Model, key: string): Update | undefined {
  if (!ACTS.has(key) || !model.reading.isSurprise || !isUnread(model)) return undefined
  const text = 'Not done: another item has only just come up. Press it again.'
  return [withNotice(model, text, 'alert'), []]
}
