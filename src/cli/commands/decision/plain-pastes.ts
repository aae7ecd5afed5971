import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { ReadStream } from 'node:tty'

const START = '\u001b[200~'
const END = '\u001b[201~'
/** A paste whose end does not come is over. */
const PATIENCE_MS = 3_000
/** What began like a mark was the Escape key. */
const KEY_PATIENCE_MS = 100

/**
 * What comes from a terminal that marks its pastes, without the control characters in them: those would work as keys,
 * and Ctrl-C would leave the rest of the paste to whatever is there next.
 */
export class PlainPastes extends Transform {
  readonly #terminal: Pick<ReadStream, 'setRawMode'>
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #isPasting = false
  #patience: NodeJS.Timeout | undefined

  constructor(terminal: Pick<ReadStream, 'setRawMode'>) {
    super()
    this.#terminal = terminal
  }

  /** For a line editor. */
  setRawMode(isRaw: boolean): void {
    this.#terminal.setRawMode(isRaw)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let text = this.#rest + this.#decoder.write(chunk)
    for (;;) {
      const mark = this.#isPasting ? END : START
      const at = text.indexOf(mark)
      const whole = at === -1 ? text.length - beginningOf(mark, text) : at
      this.#pass(text.slice(0, whole))
      this.#rest = text.slice(whole)
      if (at === -1) break
      this.#mark(mark)
      text = text.slice(at + mark.length)
    }
    clearTimeout(this.#patience)
    const giveUp = () => (this.#isPasting ? this.#mark(END) : this.#passRest())
    this.#patience = setTimeout(giveUp, this.#isPasting ? PATIENCE_MS : KEY_PATIENCE_MS).unref()
    done()
  }

  #passRest(): void {
    this.#pass(this.#rest)
    this.#rest = ''
  }

  #pass(text: string): void {
    const plain = this.#isPasting ? text.replaceAll(/(?![\r\n\t])\p{Cc}/gu, '') : text
    if (plain !== '') this.push(plain)
  }

  #mark(mark: string): void {
    this.push(mark)
    this.#isPasting = mark === START
    this.#rest = ''
  }
}

/** How many characters at the end of the text may be the beginning of the mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
