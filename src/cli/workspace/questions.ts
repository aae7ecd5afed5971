import { TrailBossError } from '../../core/errors.ts'
import { note } from '../context/output.ts'
import { answerInTerminal } from '../install/install-io.ts'

/** Asks until the answer is valid. An empty answer is the default. */
export type Ask = <T>(question: string, usual: string, read: (answer: string) => T) => Promise<T>

/** Undefined if nobody is there to answer. */
export function terminalAsk(): Ask | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return async (question, usual, read) => {
    while (true) {
      const answer = await answerInTerminal(`${question} [${usual}]: `)
      if (answer === undefined) {
        throw new TrailBossError(
          'CANCELLED',
          'Nothing was changed: the questions were not answered.',
        )
      }
      try {
        return read(answer.trim() || usual)
      } catch (error) {
        if (!(error instanceof TrailBossError)) throw error
        note(`  ${error.message}${error.hint ? ` ${error.hint}` : ''}`)
      }
    }
  }
}
