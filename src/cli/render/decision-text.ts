import type { DecisionsView, DecisionView } from '../../contract/decision.ts'
import { displaySummary, displayText, truncate, visibleLine, visibleText } from '../../core/text.ts'
import { cutMiddle } from '../../text/columns.ts'
import { ageText, remainingText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import { type Reader, shownPath } from '../../text/reader.ts'
import { table } from '../../text/table.ts'
import { wrap } from '../../text/wrap.ts'

/** An answer may be a text of its own. */
const LONGEST_STATE = 24

/** What is open, oldest first, and what was settled last. */
export function decisionsText({ decisions }: DecisionsView, reader: Reader): string {
  if (decisions.length === 0) return 'Nothing asks through Trail Boss.'
  return table(decisions, reader, [
    ['DECISION', ({ id }) => id],
    [
      'STATE',
      (one) => truncate(displaySummary(stateOf(one)), LONGEST_STATE),
      { tone: ({ state }) => TONES[state] },
    ],
    ['ASKED', ({ askedAt }) => ageText(askedAt, reader.now)],
    ['WHO', ({ asker }) => visibleLine(asker.name)],
    ['WHAT', ({ text }) => displaySummary(text)],
  ])
}

/** All of one decision, or the first rows of what it asks; changes of text as a diff. */
export function decisionText(
  decision: DecisionView,
  reader: Reader,
  most = Number.POSITIVE_INFINITY,
): string {
  const { now, paint = plain } = reader
  const { asker, askedAt, deadline, answer, tool, more } = decision
  const what = tool === null ? 'asks' : `asks to use ${visibleLine(tool)}`
  const isOpen = decision.state === 'pending'
  const fields = fieldLines(
    [
      ['decision', decision.id],
      [
        'in',
        asker.cwd === null
          ? undefined
          : cutMiddle(shownPath(visibleLine(asker.cwd), reader), WIDEST_PATH),
      ],
      ['asked', `${ageText(askedAt, now)} ago`],
      ['deadline', deadline !== null && isOpen ? `in ${remainingText(deadline, now)}` : undefined],
      ['behind it', more > 0 ? `${more} more of the same asker` : undefined],
      ['options', decision.options.map(visibleLine).join(', ') || undefined],
      [
        'state',
        isOpen && !decision.waiting
          ? 'its asker is not connected, and may come back'
          : stateOf(decision),
      ],
      ['answered by', answer ? `${answer.by}, ${ageText(answer.at, now)} ago` : undefined],
      ['with', answer?.message ?? undefined],
    ],
    reader,
  )
  const head = `${paint('heading', visibleLine(asker.name))} ${what}:`
  const rows =
    most === Number.POSITIVE_INFINITY
      ? bodyOf(decision).map((line) => shownLine(line, line, paint))
      : bodyRows(decision, reader)
  const left = rows.length - most
  const rest = left > 0 ? [paint('asking', `  … ${left.toLocaleString('en')} more lines`)] : []
  return [head, '', ...rows.slice(0, most), ...rest, '', ...fields].join('\n')
}

/** What it asks, in rows of the terminal. */
export function bodyRows(decision: DecisionView, { width, paint = plain }: Reader): string[] {
  const columns = Math.max(1, (width ?? Number.POSITIVE_INFINITY) - INDENT.length)
  return bodyOf(decision).flatMap((line) =>
    wrap(line, columns).map((row) => shownLine(row, line, paint)),
  )
}

const INDENT = '  '
/** It must not push what is asked off the screen. */
const WIDEST_PATH = 200

/** The head names the tool already. */
function bodyOf({ text, tool }: DecisionView): string[] {
  const lines = displayText(text).split('\n')
  return tool !== null && lines[0] === displayText(visibleText(tool)) ? lines.slice(1) : lines
}

function shownLine(row: string, line: string, paint: Paint): string {
  if (/^\s*\+ /.test(line)) return paint('good', `${INDENT}${row}`)
  return /^\s*- /.test(line) ? paint('bad', `${INDENT}${row}`) : `${INDENT}${row}`
}

function stateOf({ state, answer, withdrawn }: DecisionView): string {
  if (answer) return answer.changed ? `${answer.choice}, changed` : answer.choice
  if (withdrawn) return withdrawn.why === 'deadline' ? 'nobody answered' : 'withdrawn'
  return state
}

const TONES: Record<DecisionView['state'], Tone> = {
  pending: 'asking',
  answered: 'good',
  withdrawn: 'quiet',
}
