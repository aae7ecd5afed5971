import type { Command } from 'commander'
import { TrailBossError } from '../../../core/errors.ts'
import { running } from '../../context/run-command.ts'

export function addTo(program: Command): void {
  program
    .command('help')
    .description('show this help, or that of a command')
    .argument('[command...]')
    .action(running(async (words: string[]) => help(program, words)))
}

/** The help of the program, or of the command that these words name. */
function help(program: Command, words: readonly string[]): void {
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
