import { spawn } from 'node:child_process'
import type { DecisionView } from '../../../contract/decision.ts'
import { widthOf } from '../../../text/columns.ts'
import { plain } from '../../../text/paint.ts'
import { note, printFor, terminalReader } from '../../context/output.ts'
import { bodyRows, decisionText } from '../../render/decision-text.ts'

/** The keys, in two rows, and a blank one above them. */
const KEY_ROWS = 3
const FEWEST_ROWS = 5

/** All of it, or its beginning if it is longer than the terminal: what scrolls away is not read. */
export function showDecision(decision: DecisionView): Promise<void> {
  const most = isLong(decision) ? roomForBody(decision) : undefined
  return printFor((reader) => decisionText(decision, reader, most))
}

/** Whether it is shown in part. A question without options takes a line instead of keys, so all of it is shown. */
export function isLong(decision: DecisionView): boolean {
  if (decision.kind === 'question' && decision.options.length === 0) return false
  return bodyRows(decision, terminalReader()).length > roomForBody(decision)
}

/** How many rows are left for what it asks: who asks and the fields may be long, too. */
function roomForBody(decision: DecisionView): number {
  const { rows = Number.POSITIVE_INFINITY, columns = Number.POSITIVE_INFINITY } = process.stdout
  const others = decisionText(decision, { ...terminalReader(), paint: plain }, 0)
  const taken = others
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0)
  return Math.max(FEWEST_ROWS, rows - taken - KEY_ROWS)
}

const PAGER = `if [ -n "$PAGER" ]; then exec $PAGER; fi
if command -v less >/dev/null; then exec less; fi
exec more`

export async function readInPager(decision: DecisionView): Promise<void> {
  const { width } = terminalReader()
  const text = decisionText(decision, { now: Date.now(), paint: plain, ...(width && { width }) })
  const pager = spawn('/bin/sh', ['-c', PAGER], {
    stdio: ['pipe', 'inherit', 'inherit'],
    // What fits on one screen is to be read, too, before it is drawn over.
    env: { ...process.env, LESS: `${process.env['LESS'] ?? ''} -+F` },
  })
  // Whoever leaves at the first page does not read the rest.
  pager.stdin.on('error', () => undefined)
  pager.stdin.end(`${text}\n`)
  // Ctrl-C is the pager's, and goes to both of us.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  const status = await new Promise<number | null>((resolve) => {
    pager.on('error', () => resolve(null))
    pager.on('exit', resolve)
  })
  process.off('SIGINT', ignore)
  if (status !== 0) note('The pager failed. `trailboss decide ID` in a pipe prints all of it.')
}
