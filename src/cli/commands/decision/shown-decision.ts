import { spawn } from 'node:child_process'
import type { DecisionView } from '../../../contract/decision.ts'
import { plain } from '../../../text/paint.ts'
import { note, printFor, terminalReader } from '../../context/output.ts'
import { bodyRows, decisionText } from '../../render/decision-text.ts'

/** What a decision shows besides what it asks: who, the fields, the keys. */
const OTHER_ROWS = 13
const FEWEST_ROWS = 5

/** All of it, or its beginning if it is longer than the terminal: what scrolls away is not read. */
export function showDecision(decision: DecisionView): Promise<void> {
  const most = isLong(decision) ? roomForBody() : undefined
  return printFor((reader) => decisionText(decision, reader, most))
}

/** Whether it is shown in part. A question without options takes a line instead of keys, so all of it is shown. */
export function isLong(decision: DecisionView): boolean {
  if (decision.kind === 'question' && decision.options.length === 0) return false
  return bodyRows(decision, terminalReader()).length > roomForBody()
}

function roomForBody(): number {
  return Math.max(FEWEST_ROWS, (process.stdout.rows ?? Number.POSITIVE_INFINITY) - OTHER_ROWS)
}

const PAGER = `if [ -n "$PAGER" ]; then exec $PAGER; fi
if command -v less >/dev/null; then exec less; fi
exec more`

export async function readInPager(decision: DecisionView): Promise<void> {
  const { width } = terminalReader()
  const text = decisionText(decision, { now: Date.now(), paint: plain, ...(width && { width }) })
  const pager = spawn('/bin/sh', ['-c', PAGER], { stdio: ['pipe', 'inherit', 'inherit'] })
  // Whoever leaves at the first page does not read the rest.
  pager.stdin.on('error', () => undefined)
  pager.stdin.end(`${text}\n`)
  const status = await new Promise<number | null>((resolve) => {
    pager.on('error', () => resolve(null))
    pager.on('exit', resolve)
  })
  if (status !== 0) note('The pager failed. `trailboss decide ID` in a pipe prints all of it.')
}
