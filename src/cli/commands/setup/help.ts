import type { Command } from 'commander'
import { TrailBossError } from '../../../core/errors.ts'

/** The help of the program, or of the command that these words name. */
export function help(program: Command, words: readonly string[]): void {
  let command = program
  for (const word of words) {
    const next = command.commands.find(
      (each) => each.name() === word || each.aliases().includes(word),
    )
    if (!next) {
      throw new TrailBossError('BAD_USAGE', `There is no command "${words.join(' ')}".`, {
        hint: 'See all of them with: trailboss help',
      })
    }
    command = next
  }
  command.outputHelp()
}
