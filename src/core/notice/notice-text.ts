import { redacted } from '../redact/redaction.ts'
import type { WaitLabel } from '../session/wait-label.ts'
import { displayLine, displaySummary, truncate } from '../text.ts'
import type { NoticeLevel } from './channel.ts'

/** What a notice says about one agent. Everything in it is plain text that is safe to show. */
export type NoticeItem = {
  name: string
  session: string
  /** The number of this wait: with the session, it is the same in every notice about it. */
  episode: number
  harness: string
  agent: string | null
  project: string | null
  branch: string | null
  label: WaitLabel
  /** Epoch ms. */
  since: number
  /** The tmux window that it is in, `work:api`. */
  window: string | null
  /** The pane's id, if it has one. */
  pane: string | null
  /** What it asks, in one line; null if notices do not show it. */
  ask: string | null
}

export type Notice = {
  /** The same if it has to be sent again, so that a receiver can tell. */
  id: string
  level: NoticeLevel
  title: string
  text: string
  /** All of it in one line. */
  line: string
  /** How many agents it is about; `items` has the oldest of them. */
  count: number
  items: NoticeItem[]
}

const NAME_CHARS = 60
const ASK_CHARS = 200
/** So many of a notice's agents are described. */
export const MOST_ITEMS = 20

/** How people know an agent. */
export function noticeName(item: {
  agent?: string | null | undefined
  project: string | null
  branch?: string | null | undefined
  session: string
}): string {
  const place = [item.project, item.branch].filter(Boolean).join('/')
  return shortName(item.agent || place || item.session)
}

export function shortName(text: string): string {
  return truncate(displayLine(text), NAME_CHARS)
}

/** Redacted again: a question that waits in our memory still has its secrets. */
export function noticeAsk(text: string): string {
  return truncate(displaySummary(redacted(text)), ASK_CHARS)
}

/** `items`: at least one, the oldest first; `count`: how many there are, if these are not all. */
export function noticeOf(
  about: { id: string; level: NoticeLevel; items: readonly NoticeItem[]; count?: number },
  wall: number,
): Notice {
  const { id, level, items, count = items.length } = about
  const still = level === 'again' ? 'Still waiting: ' : ''
  const base = { id, level, count, items: items.slice(0, MOST_ITEMS) }
  const [oldest] = items
  if (!oldest) throw new Error('a notice is about something')
  if (count === 1) {
    const title = `${still}${oldest.name} ${DOES[oldest.label]}`
    const place = oldest.window ?? oldest.pane
    const where = `${oldest.harness}${place === null ? '' : ` in ${place}`}`
    const text = oldest.ask ? `${where}: ${oldest.ask}` : where
    return { ...base, title, text, line: `${title} (${text})` }
  }
  const title = `${still}${count} agents wait`
  const text = `oldest: ${oldest.name}, ${waited(wall - oldest.since)}`
  return { ...base, title, text, line: `${title}, ${text}` }
}

const DOES: Record<WaitLabel, string> = {
  asks: 'asks',
  permission: 'wants a permission',
  finished: 'has finished',
  error: 'has an error',
  interrupted: 'was interrupted',
  stalled: 'stands still',
  waits: 'waits',
}

function waited(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}
