import type { QueueItem } from '../../contract/responses.ts'
import type { SessionKey } from '../../core/session/event.ts'
import type { Span } from '../../text/spans.ts'
import type { Entry } from './entry.ts'
import type { Key } from './keys.ts'

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
  /** First row of the list, and of the ask, that is on screen. */
  listTop: number
  askTop: number
  /** First line of the help that is on screen. */
  helpTop: number
  filter: Filter
  screen: 'list' | 'help'
  captures: ReadonlyMap<SessionKey, Capture>
  notice: Notice | undefined
  /** Triggers and decisions with a pending request, which must not be sent twice. */
  asked: ReadonlySet<string>
}

type Connection =
  /** Keys pressed before the first answer are kept, and count once the list is there. */
  | { kind: 'connecting'; held: Key[] }
  | { kind: 'live' }
  | { kind: 'down'; message: string; hint: string }

type Filter = { kind: 'off' } | { kind: 'typing'; text: string } | { kind: 'on'; text: string }

/** What a session's pane showed at the last look; `lines` is undefined if it could not be read. */
export type Capture = { pane: string; lines: Span[][] | undefined }

export type Notice = { text: string; tone: 'info' | 'alert'; until: number }

export type Message =
  | { kind: 'key'; key: Key }
  | { kind: 'resized'; size: Size }
  | { kind: 'ticked' }
  | { kind: 'queue.changed'; entries: Entry[]; working: number }
  | { kind: 'daemon.lost'; message: string; hint: string }
  | { kind: 'pane.captured'; key: SessionKey; capture: Capture }
  | { kind: 'skip.done'; project: string; readyAt: number | null }
  | { kind: 'skip.failed'; message: string }
  /** What was requested for a trigger or a decision, by its id. */
  | { kind: 'request.done'; text: string }
  | { kind: 'request.failed'; id: string; message: string }

export type Effect =
  | { kind: 'jump'; item: QueueItem }
  | { kind: 'close' }
  | { kind: 'skip'; entry: Entry }
  | { kind: 'trigger'; act: TriggerChoice; trigger: string }
  | { kind: 'answer'; decision: string; choice: PermissionChoice }

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
    listTop: 0,
    askTop: 0,
    helpTop: 0,
    filter: { kind: 'off' },
    screen: 'list',
    captures: new Map(),
    notice: undefined,
    asked: new Set(),
  }
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

export function filterText(model: Model): string {
  return model.filter.kind === 'off' ? '' : model.filter.text
}
