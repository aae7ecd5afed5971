import type { DispatchView } from '../../contract/dispatch.ts'
import { type DispatchState, isOver } from '../../core/supervisor/dispatch/dispatch.ts'
import { windowOf } from '../../core/supervisor/runtime/runtime.ts'
import { displayLine, displayText } from '../../core/text.ts'
import { ageText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** One row for each dispatch. */
export function dispatchTable(dispatches: readonly DispatchView[], reader: Reader): string {
  return table(dispatches, reader, [
    ['DISPATCH', ({ name }) => name],
    ['STATE', ({ state }) => state, { tone: ({ state }) => toneOf(state) }],
    ['FOR', ({ stateSince }) => ageText(stateSince, reader.now)],
    ['HARNESS', ({ harness }) => harness, { from: 80 }],
    ['PANE', ({ pane }) => pane?.id ?? '-', { from: 80 }],
    ['NOTE', ({ ask, why, review, result }) => ask ?? why ?? review ?? result ?? ''],
  ])
}

/** One dispatch in detail, and what to do about it. */
export function dispatchText(dispatch: DispatchView, reader: Reader): string {
  const { now, paint = plain } = reader
  const { name, state, stateSince, why, ask, result, review, pane, session } = dispatch
  const since = isOver(dispatch)
    ? `${ageText(stateSince, now)} ago`
    : `for ${ageText(stateSince, now)}`
  const standing = `${displayLine(name)} is ${paint(toneOf(state), state)}, ${since}.`
  const ago = (at: number | null) => (at === null ? undefined : `${ageText(at, now)} ago`)
  const fields = fieldLines(
    [
      ['agent', `${dispatch.agent}, ${dispatch.harness}`],
      ['directory', dispatch.cwd],
      ['session', session ?? undefined],
      ['pane', pane ? `${pane.id}, ${windowOf(dispatch.target)}` : 'none'],
      ['started', ago(dispatch.startedAt)],
      ['took its task', ago(dispatch.validatedAt) ?? 'not yet'],
      ['policy', dispatch.policy],
      ['reviewer', dispatch.reviewer ?? undefined],
    ],
    reader,
  )
  const advice = adviceOn(dispatch)
  return [
    `Dispatch ${standing}${why ? ` ${displayLine(why)}` : ''}`,
    '',
    ...fields,
    ...words(state === 'reviewing' ? 'Its reviewer wants' : 'It wants', ask, paint),
    ...words('It said', result, paint),
    ...words('Its reviewer said', review, paint),
    ...(advice ? ['', advice] : []),
  ].join('\n')
}

/** Its state, in a sentence. */
export function dispatchSentence({ name, state, why, reviewer }: DispatchView): string {
  const reason = why ? ` ${displayLine(why)}` : ''
  return `Dispatch ${displayLine(name)} ${SENTENCES[state]}${reason}`.replace(
    'its reviewer',
    reviewer ? displayLine(reviewer) : 'its reviewer',
  )
}

const SENTENCES: Record<DispatchState, string> = {
  launching: 'is being launched.',
  validating: 'is getting its task.',
  working: 'is working on its task.',
  waiting: 'is waiting for somebody.',
  reviewing: 'has finished; its reviewer is looking at it.',
  done: 'is done.',
  failed: 'has failed.',
  stopped: 'was stopped.',
}

function toneOf(state: DispatchState): Tone {
  if (state === 'done') return 'good'
  if (state === 'failed') return 'bad'
  return state === 'stopped' ? 'quiet' : 'waiting'
}

function words(whose: string, text: string | null, paint: Paint): string[] {
  if (text === null) return []
  const lines = displayText(text).trim().split('\n')
  return ['', paint('heading', `${whose}:`), ...lines.map((line) => `  ${line}`.trimEnd())]
}

function adviceOn(dispatch: DispatchView): string | undefined {
  const { name, state, pane, waiting, canAccept } = dispatch
  const called = displayLine(name)
  if (waiting) {
    const accept = ` To take what it said as its result: trailboss dispatch accept ${called}`
    return `It is in your queue.${canAccept ? accept : ''}`
  }
  if (state === 'failed') {
    const clear = pane ? `\nThen clear it away:  trailboss dispatch stop ${called}` : ''
    return `See what was done:   trailboss dispatch logs ${called}${clear}`
  }
  if (state === 'done' && pane) {
    return `Its agent is still there. When you are through with it: trailboss dispatch stop ${called}`
  }
  return undefined
}
