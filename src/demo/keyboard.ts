/** The keys that a human presses in this pane, one at a time, as the terminal sends them. */
export class Keyboard {
  #keys: string[] = []
  #wake: (() => void) | undefined

  constructor(input: NodeJS.ReadStream) {
    input.setRawMode?.(true)
    input.setEncoding('utf8')
    input.on('data', (chunk: string) => {
      this.#keys.push(...keysOf(chunk))
      this.#wake?.()
    })
  }

  /** Drops what was typed before anybody asked for it. */
  clear(): void {
    this.#keys = []
  }

  async next(): Promise<string> {
    while (true) {
      const key = this.#keys.shift()
      if (key !== undefined) return key
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Names for the few keys that mean something; other escape sequences are dropped. */
export function keysOf(chunk: string): string[] {
  const tokens = chunk.match(/\u001b\[[0-9;<?]*[A-Za-z~]|\u001bO[A-Z]|\u001b|[^\u001b]/gu) ?? []
  return tokens.flatMap((token) => {
    const name = NAMES[token]
    if (name !== undefined) return [name]
    return /\p{Cc}/u.test(token) ? [] : [token]
  })
}

const NAMES: Readonly<Record<string, string>> = {
  '\r': 'Enter',
  '\n': 'Enter',
  '\u001b': 'Escape',
  '\u0003': 'Escape',
  '\u007f': 'Backspace',
  '\b': 'Backspace',
  '\u001b[A': 'Up',
  '\u001bOA': 'Up',
  '\u001b[B': 'Down',
  '\u001bOB': 'Down',
}
