import { itemObstacle } from '../../core/supervisor/reply/obstacle.ts'
import { cutMiddle, widthOf } from '../../text/columns.ts'
import { paintLine, type Span } from '../../text/spans.ts'
import { type Model, selectedEntry } from '../model/model.ts'
import { SNOOZE_CHOICES, type Snoozing } from '../model/snooze.ts'
import { maxHelpTop } from './help.ts'

/** The lowest rank matters most: hints that do not fit are dropped from the other end. */
type Hint = { key: string; text: string; rank: number }

const GAP = 3

/** The keys that matter now, or what just happened. */
export function footerLine(model: Model): string {
  const { columns } = model.size
  return paintLine(footerSpans(model, columns), columns, model.color)
}

function footerSpans(model: Model, columns: number): Span[] {
  if (model.notice) {
    return [[model.notice.tone === 'alert' ? 'alert' : 'strong', ` ${model.notice.text}`]]
  }
  if (model.screen === 'help') return hintSpans(helpHints(model), columns)
  if (model.snoozing) return snoozeSpans(model.snoozing, columns)
  if (model.reply.line) {
    const { entry, text } = model.reply.line
    return inputSpans(` to ${cutMiddle(entry.name, 24)}: `, text, REPLY_HINTS, columns)
  }
  if (model.filter.kind === 'typing') {
    return inputSpans(' /', model.filter.text, FILTER_HINTS, columns)
  }
  if (model.connection.kind !== 'live')
    return hintSpans([{ key: 'q', text: 'close', rank: 1 }], columns)
  return hintSpans(listHints(model), columns)
}

function helpHints(model: Model): Hint[] {
  const back = { key: maxHelpTop(model) > 0 ? 'other keys' : 'any key', text: 'back', rank: 1 }
  return maxHelpTop(model) > 0 ? [{ key: '↑ ↓', text: 'scroll', rank: 2 }, back] : [back]
}

function listHints(model: Model): Hint[] {
  const help = { key: '?', text: 'help', rank: 3 }
  const close = { key: 'q', text: 'close', rank: 4 }
  if (model.entries.length === 0) return [help, close]
  return [
    { key: '↵', text: 'jump', rank: 1 },
    { key: '1-9', text: 'jump to', rank: 8 },
    ...triggerHints(model),
    ...permissionHints(model),
    ...replyHints(model),
    { key: 's', text: 'skip', rank: 2 },
    ...dismissHints(model),
    { key: 'z', text: 'snooze', rank: 6 },
    { key: '/', text: 'filter', rank: 7 },
    { key: 'J/K', text: 'scroll', rank: 9 },
    help,
    model.filter.kind === 'on' ? { key: 'Esc', text: 'clear filter', rank: 4 } : close,
  ]
}

/** A failed trigger has a key of its own. */
function dismissHints(model: Model): Hint[] {
  const entry = selectedEntry(model)
  if (!entry || entry.isBlocked || entry.trigger !== undefined) return []
  return [{ key: 'd', text: 'dismiss', rank: 5 }]
}

function triggerHints(model: Model): Hint[] {
  if (selectedEntry(model)?.trigger === undefined) return []
  return [
    { key: 'r', text: 'retry', rank: 1 },
    { key: 'x', text: 'dismiss', rank: 2 },
  ]
}

function permissionHints(model: Model): Hint[] {
  if (selectedEntry(model)?.permission === undefined) return []
  return [
    { key: 'y', text: 'allow', rank: 1 },
    { key: 'n', text: 'deny', rank: 1 },
  ]
}

function replyHints(model: Model): Hint[] {
  const entry = selectedEntry(model)
  if (!model.reply.isOn || !entry || itemObstacle(entry.item)) return []
  return [{ key: 'm', text: 'reply', rank: 2 }]
}

function hintSpans(hints: Hint[], columns: number): Span[] {
  return fittingHints(hints, columns).flatMap(({ key, text }, index): Span[] => [
    ['plain', ' '.repeat(index === 0 ? 1 : GAP)],
    ['key', key],
    ['dim', ` ${text}`],
  ])
}

function fittingHints(hints: Hint[], columns: number): Hint[] {
  const widths = hints.map(({ key, text }) => GAP + widthOf(key) + 1 + widthOf(text))
  const total = widths.reduce((sum, width) => sum + width, 1 - GAP)
  if (total <= columns || hints.length <= 1) return hints
  const leastWanted = Math.max(...hints.map(({ rank }) => rank))
  return fittingHints(
    hints.filter(({ rank }) => rank !== leastWanted),
    columns,
  )
}

/** What does not fit is left out from the end: what is chosen shows in any case. */
function snoozeSpans({ entry, choice, typed }: Snoozing, columns: number): Span[] {
  const title: Span[] = [['strong', ` Snooze ${cutMiddle(entry.name, columns < 70 ? 10 : 20)} `]]
  const choices = SNOOZE_CHOICES.flatMap((text, index): Span[] => [
    ['plain', ' '],
    [typed === '' && index === choice ? 'selected' : 'plain', ` ${text} `],
  ])
  const input: Span[] =
    typed === ''
      ? [['dim', '   z next   or type a time']]
      : [
          ['dim', '   '],
          ['plain', typed],
          ['selected', ' '],
        ]
  const keys: Span[] = [['dim', '   ↵ ok   Esc leave']]
  const compact = typed === '' ? choices : [...title, ...input]
  const wider = [
    [...title, ...choices, ...input, ...keys],
    [...title, ...choices, ...input],
    [...title, ...(typed === '' ? choices : input), ...keys],
    [...title, ...(typed === '' ? choices : input)],
  ]
  const isFitting = (spans: Span[]) => widthOf(spans.map(([, text]) => text).join('')) <= columns
  return wider.find(isFitting) ?? compact
}

const FILTER_HINTS = ['   ↵ jump   Tab keep   Esc clear', '   ↵ jump   Esc clear', '   ↵ jump']
const REPLY_HINTS = ['   ↵ send   Esc keep it for later', '   ↵ send   Esc leave', '   ↵ send']

/** A line that is being typed, and as much as fits of what the keys do there. */
function inputSpans(label: string, text: string, hints: string[], columns: number): Span[] {
  const width = widthOf(label) + 1
  const shown = tailOf(text, Math.max(1, columns - width - 1))
  const spans: Span[] = [
    ['key', label],
    ['plain', shown],
    ['selected', ' '],
  ]
  const hint = hints.find((one) => width + widthOf(shown) + widthOf(one) <= columns)
  return hint === undefined ? spans : [...spans, ['dim', hint]]
}

/** The eye is at the end of the typed text. */
function tailOf(text: string, columns: number): string {
  const chars = Array.from(text)
  while (widthOf(chars.join('')) > columns) chars.shift()
  return chars.join('')
}
