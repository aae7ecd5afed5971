import type { DecisionsView, DecisionView } from '../../contract/decision.ts'
import { displayLine, displaySummary, displayText, visibleText } from '../../core/text.ts'
import { ageText, remainingText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import { type Reader, shownPath } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** What is open, oldest first, and what was settled last. */
export function decisionsText({ decisions }: DecisionsView, reader: Reader): string {
  if (decisions.length === 0) return 'Nothing asks through Trail Boss.'
  return table(decisions, reader, [
    ['DECISION', ({ id }) => id],
    ['STATE', stateOf, { tone: ({ state }) => TONES[state] }],
    ['ASKED', ({ askedAt }) => ageText(askedAt, reader.now)],
    ['WHO', ({ asker }) => asker.name],
    ['WHAT', ({ text }) => displaySummary(text)],
  ])
}

/** All of one decision, with changes of text as a diff. */
export function decisionText(decision: DecisionView, reader: Reader): string {
  const { now, paint = plain } = reader
  const { asker, askedAt, deadline, answer, tool, more } = decision
  const what = tool === null ? 'asks' : `asks to use ${displayLine(visibleText(tool))}`
  const isOpen = decision.state === 'pending'
  const fields = fieldLines(
    [
      ['decision', decision.id],
      ['in', asker.cwd === null ? undefined : shownPath(asker.cwd, reader)],
      ['asked', `${ageText(askedAt, now)} ago`],
      ['deadline', deadline !== null && isOpen ? `in ${remainingText(deadline, now)}` : undefined],
      ['behind it', more > 0 ? `${more} more of the same asker` : undefined],
      ['options', decision.options.map(visibleText).join(', ') || undefined],
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
  const head = `${paint('heading', displayLine(asker.name))} ${what}:`
  const [first, ...rest] = displayText(decision.text).split('\n')
  // The head names the tool already.
  const body =
    tool !== null && first === displayText(visibleText(tool)) ? rest : [first ?? '', ...rest]
  return [head, '', ...body.map((line) => shownLine(line, paint)), '', ...fields].join('\n')
}

function shownLine(line: string, paint: Paint): string {
  if (/^\s*\+ /.test(line)) return paint('good', `  ${line}`)
  return /^\s*- /.test(line) ? paint('bad', `  ${line}`) : `  ${line}`
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
