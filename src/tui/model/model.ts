import type { QueueItem } from '../../contract/responses.ts'
import type { SessionKey } from '../../core/session/event.ts'
import type { SnoozeTime } from '../../core/snooze-time.ts'
import { displayLine } from '../../core/text.ts'
import type { Span } from '../../text/spans.ts'
import type { Entry } from './entry.ts'
import type { Key } from './keys.ts'
import type { Snoozing } from './snooze.ts'

export type Size = { columns: number; rows: number }

/** Everything that the popup knows; `view` draws it and only `update` changes it. */
export type Model = {
  size: Size
  color: boolean
  /** Epoch ms. */
  now: number
  connection: Connection
  entries: Entry[]
  /** How many sessions work. */
  working: number
  /** The selection follows the session, not the row. */
  selected: SessionKey | undefined
  /** Until then, epoch ms, nobody can have read it, and no key answers it; after a surprise no key changes it either. */
  reading: { until: number; isSurprise: boolean }
  /** The one that the operator takes off the queue, until it is gone: that it goes is no surprise. */
  leaving: SessionKey | undefined
  /** First row of the list, and of the ask, that is on screen. */
  listTop: number
  askTop: number
  /** First line of the help that is on screen. */
  helpTop: number
  filter: Filter
  /** Set while the operator chooses how long to snooze an item. */
  snoozing: Snoozing | undefined
  /** What `u` takes back, the last one first. */
  undoable: readonly Undoable[]
  screen: 'list' | 'help'
  captures: ReadonlyMap<SessionKey, Capture>
  notice: Notice | undefined
  /** Triggers, decisions and replies with a pending request, which must not be sent twice. */
  asked: ReadonlySet<string>
  reply: ReplyState
}

type ReplyState = {
  /** Whether the daemon types replies at all. */
  isOn: boolean
  /** The one that is being written in the footer. */
  line: { entry: Entry; text: string } | undefined
  /** How many are on their way. */
  sending: number
  /** The operator wants to leave as soon as it is known whether they arrived. */
  isLeaving: boolean
  /** What was written and not delivered, so that it does not get lost. */
  drafts: ReadonlyMap<SessionKey, string>
}

type Connection =
  /** Keys pressed before the first answer are kept, and count once the list is there. */
  | { kind: 'connecting'; held: Key[] }
  | { kind: 'live' }
  | { kind: 'down'; message: string; hint: string }

type Filter = { kind: 'off' } | { kind: 'typing'; text: string } | { kind: 'on'; text: string }

/** What a session's pane showed at the last look; `lines` is undefined if it could not be read. */
export type Capture = { pane: string; lines: Span[][] | undefined }

/** Something done to an item here, from the moment its key was pressed. */
export type Undoable = { act: 'skip' | 'dismiss'; entry: Entry }

export type Notice = { text: string; tone: 'info' | 'alert'; until: number }

export type Message =
  | { kind: 'key'; key: Key }
  | { kind: 'resized'; size: Size }
  | { kind: 'ticked' }
  | { kind: 'queue.changed'; entries: Entry[]; working: number; reply?: boolean | undefined }
  | { kind: 'daemon.lost'; message: string; hint: string }
  | { kind: 'pane.captured'; key: SessionKey; capture: Capture }
  | { kind: 'act.done'; text: string }
  /** Then there is nothing to undo. */
  | { kind: 'act.failed'; message: string; act: Undoable }
  | { kind: 'undo.failed'; message: string; act: Undoable }
  /** What was requested for a trigger or a decision, by its id. */
  | { kind: 'request.done'; text: string }
  | { kind: 'request.failed'; id: string; message: string }
  | ReplyMessage

export type ReplyMessage =
  /** In the operator's editor. */
  | { kind: 'reply.written'; entry: Entry; text: string }
  | { kind: 'reply.done'; entry: Entry; message: string }
  | { kind: 'reply.failed'; entry: Entry; text: string; message: string }

export type Effect =
  | { kind: 'jump'; item: QueueItem }
  | { kind: 'close' }
  | { kind: 'skip'; entry: Entry; time?: SnoozeTime }
  | { kind: 'dismiss'; entry: Entry; evenBlocked: boolean }
  | { kind: 'undo'; undo: Undoable }
  | { kind: 'trigger'; act: TriggerChoice; trigger: string }
  | { kind: 'answer'; decision: string; choice: PermissionChoice }
  | { kind: 'reply'; entry: Entry; text: string }
  /** Opens the operator's editor. */
  | { kind: 'write'; entry: Entry; draft: string }

export type Update = [Model, Effect[]]

export type PermissionChoice = 'allow' | 'deny'

/** What the operator can do about a failed trigger: send it again, or dismiss it. */
export type TriggerChoice = 'retry' | 'cancel'

export function initialModel(size: Size, now: number, color: boolean): Model {
  return {
    size,
    color,
    now,
    connection: { kind: 'connecting', held: [] },
    entries: [],
    working: 0,
    selected: undefined,
    reading: { until: Number.POSITIVE_INFINITY, isSurprise: false },
    leaving: undefined,
    listTop: 0,
    askTop: 0,
    helpTop: 0,
    filter: { kind: 'off' },
    snoozing: undefined,
    undoable: [],
    screen: 'list',
    captures: new Map(),
    notice: undefined,
    asked: new Set(),
    reply: { isOn: false, line: undefined, sending: 0, isLeaving: false, drafts: new Map() },
  }
}

const NOTICE_MS = 4_000

export function withNotice(model: Model, text: string, tone: Notice['tone']): Model {
  return { ...model, notice: { text: displayLine(text), tone, until: model.now + NOTICE_MS } }
}

/** The entries that pass the filter: each must contain every word of it. */
export function visibleEntries(model: Model): Entry[] {
  const words = filterText(model).toLowerCase().split(' ').filter(Boolean)
  if (words.length === 0) return model.entries
  return model.entries.filter(({ haystack }) => words.every((word) => haystack.includes(word)))
}

export function selectedEntry(model: Model): Entry | undefined {
  return visibleEntries(model).find(({ key }) => key === model.selected)
}

export function select(model: Model, index: number): Model {
  const entries = visibleEntries(model)
  const entry = entries[Math.min(Math.max(0, index), entries.length - 1)]
  if (!entry || entry.key === model.selected) return model
  return { ...model, selected: entry.key, askTop: 0 }
}

/** The selected one goes to the tail: the operator goes on with the next one that is ready. */
export function withNextSelected(model: Model): Model {
  const entries = visibleEntries(model)
  const index = entries.findIndex(({ key }) => key === model.selected)
  const ready = [...entries.slice(index + 1), ...entries.slice(0, Math.max(0, index))].find(
    ({ item }) => item.ready,
  )
  return ready ? select(model, entries.indexOf(ready)) : model
}

export function filterText(model: Model): string {
  return model.filter.kind === 'off' ? '' : model.filter.text
}
