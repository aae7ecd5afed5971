import { createInterface } from 'node:readline'

/** What the operator is in the middle of typing, and when they last pressed a key. */
export type Typing = { draft: string; lastKeyAt: number }

const PASTES = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

/**
 * What the operator types until Enter; the lines of a paste are part of it. Undefined if they left it, or once
 * `signal` says so: then `typing` keeps what they have so far.
 */
export async function typedText(
  question: string,
  { signal, typing }: { signal?: AbortSignal; typing?: Typing } = {},
): Promise<string | undefined> {
  const { stdin, stdout } = process
  const lines: string[] = []
  let isPasting = false
  const follow = (_: unknown, key: { name?: string }) => {
    if (key.name === 'paste-start') isPasting = true
    if (key.name === 'paste-end') isPasting = false
  }
  stdout.write(PASTES.on)
  // Before the reader, which hears of each key right after this.
  stdin.on('keypress', follow)
  const reader = createInterface({ input: stdin, output: stdout, prompt: question })
  try {
    return await new Promise<string | undefined>((resolve) => {
      const leave = () => resolve(undefined)
      reader.once('close', leave)
      signal?.addEventListener('abort', leave)
      if (signal?.aborted) leave()
      reader.on('line', (line) => {
        lines.push(line)
        if (!isPasting) return resolve(lines.join('\n'))
        reader.setPrompt('')
      })
      reader.prompt()
      if (!typing?.draft) return
      isPasting = true
      reader.write(typing.draft)
      isPasting = false
    })
  } finally {
    if (typing) typing.draft = [...lines, reader.line].join('\n')
    stdin.off('keypress', follow)
    reader.close()
    stdout.write(PASTES.off)
  }
}
