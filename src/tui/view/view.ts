import { widthOf } from '../../text/columns.ts'
import { paintLine, type Span } from '../../text/spans.ts'
import { wrap } from '../../text/wrap.ts'
import { filterText, type Model, type Size, visibleEntries } from '../model/model.ts'
import { footerLine } from './footer.ts'
import { headerLine } from './header.ts'
import { helpLines } from './help.ts'
import { bodyRowsOf, layoutOf } from './layout.ts'
import { listLines } from './list.ts'
import { previewLines } from './preview.ts'

/** The whole screen: exactly `rows` lines of exactly `columns`, with no escape sequence but our SGR. */
export function view(model: Model): string[] {
  const { columns, rows } = model.size
  const body = bodyLines(model)
  const header = rows >= 3 ? [headerLine(model)] : []
  const footer = rows >= 2 ? [footerLine(model)] : []
  const lines = [...header, ...body.slice(0, bodyRowsOf(model.size)), ...footer]
  return lines.slice(0, rows).map((line) => (columns > 0 ? line : ''))
}

function bodyLines(model: Model): string[] {
  const { columns } = model.size
  const body: Size = { columns, rows: bodyRowsOf(model.size) }
  if (model.screen === 'help') return filled(helpLines(model), body)
  switch (model.connection.kind) {
    case 'connecting':
      return centred([[['dim', 'Asking the daemon…']]], body, model.color)
    case 'down':
      return centred(downSpans(model.connection, body), body, model.color)
    case 'live': {
      if (model.entries.length === 0) return centred(emptySpans(model.working), body, model.color)
      if (visibleEntries(model).length === 0) return centred(noMatchSpans(model), body, model.color)
      return queueLines(model)
    }
  }
}

function queueLines(model: Model): string[] {
  const layout = layoutOf(model)
  const list = listLines(model, layout.list)
  const preview = previewLines(model, layout)
  const spacer = Array.from({ length: layout.spacerRows }, () => ' '.repeat(model.size.columns))
  if (layout.kind === 'stacked') return [...spacer, ...list, ...preview]
  const titles = new Set([0, layout.askRows + 1])
  return [
    ...spacer,
    ...list.map((row, index) => {
      const border: Span = ['dim', titles.has(index) ? '├' : '│']
      return row + paintLine([border], 1, model.color) + (preview[index] ?? '')
    }),
  ]
}

function emptySpans(working: number): Span[][] {
  const atWork = working === 1 ? '1 is working.' : `${working || 'None'} are working.`
  return [
    [['plain', 'Nothing is stuck. Your herd is grazing.']],
    [],
    [['plain', atWork]],
    [['dim', 'Whoever needs you shows up here.']],
  ]
}

function noMatchSpans(model: Model): Span[][] {
  return [
    [
      ['plain', 'Nothing matches '],
      ['strong', filterText(model)],
      ['plain', '.'],
    ],
    [],
    [['dim', 'Esc clears the filter.']],
  ]
}

function downSpans(connection: { message: string; hint: string }, body: Size): Span[][] {
  const width = Math.max(1, body.columns - 2)
  return [
    ...wrap(connection.message, width).map((text): Span[] => [['alert', text]]),
    [],
    ...wrap(connection.hint, width).map((text): Span[] => [['strong', text]]),
    [],
    [['dim', 'Trying again every second.']],
  ]
}

/** A little above the middle, where people look. */
function centred(texts: Span[][], body: Size, color: boolean): string[] {
  const above = Math.max(0, Math.floor((body.rows - texts.length) / 3))
  const lines = texts.map((spans) => {
    const width = widthOf(spans.map(([, text]) => text).join(''))
    const margin = ' '.repeat(Math.max(0, Math.floor((body.columns - width) / 2)))
    return paintLine([['plain', margin], ...spans], body.columns, color)
  })
  return filled([...Array.from({ length: above }, () => ''), ...lines], body)
}

function filled(lines: string[], { columns, rows }: Size): string[] {
  const blank = ' '.repeat(columns)
  return Array.from({ length: rows }, (_, index) => lines[index] || blank)
}
