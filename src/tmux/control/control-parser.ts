/** What one command printed, line by line, and whether tmux accepted it. */
export type ControlBlock = { ok: boolean; lines: Buffer[] }

export type ControlListener = {
  /**
   * The answer to our next command begins. Returns how many lines it certainly has: those are taken whatever
   * they look like, since a screen may show something like the end of an answer.
   */
  begun(): number
  answered(block: ControlBlock): void
  /** A block that answers none of our commands: the attaching itself, or one of the operator's hooks. */
  passed(block: ControlBlock): void
  /** A line between the blocks, such as `%session-changed $1 work`. */
  notified(line: Buffer): void
}

type OpenBlock = { guard: string; isOurs: boolean; due: number; lines: Buffer[] }

const LF = 0x0a
const PERCENT = 0x25
// tmux 3.3a marks with 1 what came from the client itself.
const BEGIN = /^%begin (\d+ \d+ (\d+))$/

/** Takes what a control client prints, in pieces of any size. */
export function createControlParser(listener: ControlListener): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  let block: OpenBlock | undefined

  const take = (line: Buffer): void => {
    block = block ? continued(block, line, listener) : begun(line, listener)
  }

  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      const end = chunk.subarray(from, at)
      take(pieces.length > 0 ? Buffer.concat([...pieces, end]) : end)
      pieces = []
      from = at + 1
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
  }
}

function begun(line: Buffer, listener: ControlListener): OpenBlock | undefined {
  const [, guard, flags] = (startsWithPercent(line) && BEGIN.exec(line.toString('latin1'))) || []
  if (guard === undefined) {
    listener.notified(line)
    return undefined
  }
  const isOurs = flags === '1'
  return { guard, isOurs, due: isOurs ? listener.begun() : 0, lines: [] }
}

function continued(
  block: OpenBlock,
  line: Buffer,
  listener: ControlListener,
): OpenBlock | undefined {
  const ok = block.lines.length < block.due ? undefined : outcome(line, block.guard)
  if (ok === undefined) {
    block.lines.push(line)
    return block
  }
  const { isOurs, lines } = block
  if (isOurs) listener.answered({ ok, lines })
  else listener.passed({ ok, lines })
  return undefined
}

/** The end of a block repeats the time and the number of its beginning. */
function outcome(line: Buffer, guard: string): boolean | undefined {
  if (!startsWithPercent(line)) return undefined
  const text = line.toString('latin1')
  if (text === `%end ${guard}`) return true
  return text === `%error ${guard}` ? false : undefined
}

function startsWithPercent(line: Buffer): boolean {
  return line[0] === PERCENT
}
