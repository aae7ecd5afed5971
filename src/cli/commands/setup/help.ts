import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { defaultConfig } from '../../../config/config.ts'
import { resolvePaths } from '../../../config/paths.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { fieldLines } from '../../../text/fields.ts'
import type { KeyAction, Keys } from '../../../tmux/conf/keys.ts'
import { readKeysFile } from '../../../tmux/conf/keys-file.ts'
import { running } from '../../context/run-command.ts'
import { ACTIONS } from '../../install/tmux-key-choice.ts'

export function addTo(program: Command): void {
  program
    .addHelpText('after', textAfter)
    .command('help')
    .description('show this help, or the help of a command')
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

/** About the names, and the keys that install bound, or else the ones that it would bind. */
function textAfter(): string {
  const bound = boundKeys()
  const keys = bound ?? defaultConfig().keys
  const fields = (Object.keys(ACTIONS) as KeyAction[]).flatMap((action): [string, string][] =>
    keys[action] ? [[`prefix ${keys[action]}`, ACTIONS[action].meaning]] : [],
  )
  const heading = bound ? 'Keys:' : 'Keys, once bound with "trailboss install tmux":'
  const names = 'Two names with a comma between them are the same command.'
  return ['', names, '', heading, ...fieldLines(fields, {})].join('\n')
}

function boundKeys(): Keys | undefined {
  try {
    return readKeysFile(readFileSync(resolvePaths().tmuxConf, 'utf8')).keys
  } catch {
    return undefined
  }
}
