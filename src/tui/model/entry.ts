import type { QueueItem } from '../../contract/responses.ts'
import { itemNames, placeName } from '../../core/identity/item-names.ts'
import { type SessionKey, sessionKey } from '../../core/session/event.ts'
import { needsAnswer } from '../../core/session/wait-label.ts'
import { displayLine, displaySummary, displayText } from '../../core/text.ts'
import { cutMiddle } from '../../text/columns.ts'
import { shownHarness } from './harness-name.ts'

const MAX_LINE_CHARS = 400
/** Names often differ at their ends. */
const MAX_NAME_COLUMNS = 60
const MAX_SEARCHED_CHARS = 2_000
const MAX_ASK_CHARS = 10_000

/** A queue item with safe text: apart from `askTextOf`, nothing else of it reaches the screen. */
export type Entry = {
  key: SessionKey
  item: QueueItem
  harness: string
  project: string
  /** Tells it apart from all others in the queue. */
  name: string
  /** What else it is recognised by, for the preview: branch, worktree, window, title. */
  identity: string[]
  /** The start of the ask on one line, for the list. */
  askLine: string
  tool: string
  pane: string
  /** The id of the failed trigger, if the item is about one. */
  trigger: string | undefined
  /** The id of the permission that can be answered here, if the item is about one. */
  permission: string | undefined
  /** The popup shows only the beginning of what it asks. */
  isCut: boolean
  /** It cannot go on without an answer. */
  isBlocked: boolean
  /** What the filter looks through, in lower case. */
  haystack: string
}

/** In the queue's order, with cooling items last. */
export function entriesOf(items: QueueItem[]): Entry[] {
  const ready = items.filter((item) => item.ready)
  const cooling = items.filter((item) => !item.ready)
  const all = [...ready, ...cooling]
  const names = itemNames(all)
  return all.map((item, index) => entryOf(item, names[index] ?? ''))
}

/** The whole ask, safe to show; computed on demand, because it may be long. */
export function askTextOf({ item }: Entry): string {
  const { text } = item.ask
  const shown = displayText(text.slice(0, MAX_ASK_CHARS)).trim()
  return text.length > MAX_ASK_CHARS ? `${shown}…` : shown
}

function entryOf(item: QueueItem, name: string): Entry {
  const harness = lineOf(item.program ?? shownHarness(item.harness))
  const project = lineOf(placeName(item))
  const { branch = '', worktree = '', window = '', title = '' } = item
  const known = [branch, worktree && `worktree ${worktree}`, window, title && `"${title}"`]
  const identity = known.map((text) => lineOf(text)).filter(Boolean)
  const searched = lineOf(item.ask.text, MAX_SEARCHED_CHARS)
  return {
    key: sessionKey(item.harness, item.session),
    item,
    harness,
    project,
    name: cutMiddle(name, MAX_NAME_COLUMNS),
    identity,
    askLine: displaySummary(item.ask.text.slice(0, MAX_LINE_CHARS)),
    tool: lineOf(item.ask.tool ?? ''),
    pane: lineOf(item.pane?.id ?? ''),
    trigger: item.about?.kind === 'trigger' ? item.about.id : undefined,
    permission: item.decision?.kind === 'permission' ? item.about?.id : undefined,
    isCut: item.decision?.cut === true || item.ask.text.length > MAX_ASK_CHARS,
    isBlocked: needsAnswer(item),
    haystack: [project, ...identity, harness, item.label, item.reason, searched]
      .join('\n')
      .toLowerCase(),
  }
}

function lineOf(text: string, maxChars = MAX_LINE_CHARS): string {
  return displayLine(text.slice(0, maxChars))
}
