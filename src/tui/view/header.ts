import { widthOf } from '../../text/columns.ts'
import { paintLine, type Span } from '../../text/spans.ts'
import { filterText, type Model, visibleEntries } from '../model/model.ts'
import { layoutOf } from './layout.ts'

/** How many are stuck, counted like in the status line; at the right, which part of the list is on screen. */
export function headerLine(model: Model): string {
  const { columns } = model.size
  const title: Span[] = [['title', ' Trail Boss'], ['plain', '   '], ...countSpans(model)]
  const whole = [...title, ...coolingSpans(model)]
  const left = spansWidth(whole) <= columns ? whole : title
  const right = positionSpans(model)
  const gap = columns - spansWidth(left) - spansWidth(right)
  const spans: Span[] = gap >= 2 ? [...left, ['plain', ' '.repeat(gap)], ...right] : left
  return paintLine(spans, columns, model.color)
}

function countSpans({ connection, entries }: Model): Span[] {
  if (connection.kind === 'down') return [['alert', 'daemon down']]
  if (connection.kind === 'connecting') return []
  const ready = entries.filter(({ item }) => item.ready).length
  if (ready > 0) return [['plain', `${ready} stuck`]]
  return [['plain', entries.length > 0 ? 'nothing ready' : 'nothing stuck']]
}

function coolingSpans(model: Model): Span[] {
  const cooling = model.entries.filter(({ item }) => !item.ready).length
  return cooling > 0 ? [['dim', ` · ${cooling} skipped`]] : []
}

function positionSpans(model: Model): Span[] {
  if (model.connection.kind !== 'live' || model.screen === 'help') return []
  const count = visibleEntries(model).length
  const { list } = layoutOf(model)
  const spans: Span[] = []
  if (model.filter.kind === 'on') spans.push(['strong', `/${filterText(model)}  `])
  if (count > list.rows) {
    const last = Math.min(count, model.listTop + list.rows)
    spans.push(['dim', `${model.listTop + 1}–${last} of ${count} `])
  } else if (model.filter.kind !== 'off') {
    spans.push(['dim', `${count} of ${model.entries.length} `])
  }
  return spans
}

function spansWidth(spans: Span[]): number {
  return widthOf(spans.map(([, text]) => text).join(''))
}
