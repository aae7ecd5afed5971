import { createInterface } from 'node:readline'
import { MOST_ANSWER_CHARS } from '../../../contract/decision.ts'
import { messageOf } from '../../../core/errors.ts'
import { beforeEnding } from '../../context/before-ending.ts'
import { editedText } from '../../context/editor.ts'
import { print } from '../../context/output.ts'
import { PlainPastes } from './plain-pastes.ts'
import { untilRead } from './until-read.ts'

/** What the operator is in the middle of typing, and when they last pressed a key. */
export type Typing = { draft: string; isPasting: boolean; lastKeyAt: number }

export function nothingTyped(): Typing {
  return { draft: '', isPasting: false, lastKeyAt: Number.NEGATIVE_INFINITY }
}

/** One for all: the end of a paste may come only when the next line is edited. */
let input: PlainPastes | undefined

const PASTES = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

/** As `typedText`; what is too long to be sent can be made shorter in the editor. */
export async function answerText(
  question: string,
  typing: Typing,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const text = await typedText(question, typing, signal)
    if (text === undefined || text.length <= MOST_ANSWER_CHARS) return text
    const [length, most] = [text.length, MOST_ANSWER_CHARS].map((count) =>
      count.toLocaleString('en'),
    )
    print(
      `\nNot sent: it has ${length} characters, and ${most} is the most. Make it shorter in your editor.`,
    )
    await untilRead()
    typing.draft = text
    try {
      typing.draft = (await editedText('answer.md', text, 'It is kept as it was.')).trimEnd()
    } catch (error) {
      print(messageOf(error))
      await untilRead()
    }
  }
}

/**
 * What the operator types until Enter; the lines of a paste are part of it. Undefined if they left it, or once
 * `signal` says so: then `typing` keeps what they have so far.
 */
async function typedText(
  question: string,
  typing: Typing,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { stdin, stdout } = process
  const pastes = input ?? new PlainPastes(stdin)
  input = pastes
  const lines: string[] = []
  stdout.write(PASTES.on)
  const reader = createInterface({
    input: pastes,
    output: stdout,
    prompt: question,
    terminal: true,
    historySize: 0,
  })
  const follow = (_text: unknown, key: { name?: string }) => {
    if (key.name === 'paste-start') typing.isPasting = true
    if (key.name === 'paste-end') typing.isPasting = false
  }
  using _ = beforeEnding(() => {
    typing.draft = [...lines, reader.line].join('\n')
    reader.close()
    stdin.unpipe(pastes)
    pastes.off('keypress', follow)
    stdin.pause()
    stdout.write(PASTES.off)
  })
  return await new Promise<string | undefined>((resolve) => {
    const leave = () => resolve(undefined)
    reader.once('close', leave)
    // Node could not go on after Ctrl-Z.
    reader.on('SIGTSTP', () => {})
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    reader.on('line', (line) => {
      lines.push(line)
      if (!typing.isPasting) return resolve(lines.join('\n'))
      reader.setPrompt('')
    })
    reader.prompt()
    const { isPasting } = typing
    typing.isPasting = true
    reader.write(typing.draft)
    typing.isPasting = isPasting
    pastes.on('keypress', follow)
    stdin.pipe(pastes)
  })
}
