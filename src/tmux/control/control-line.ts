import { TrailBossError } from '../../core/errors.ts'

/**
 * One line for a control client: commands that tmux runs in one go, with nothing else between them. Every word
 * is quoted, so that none of them is more than a word.
 */
export function controlLine(commands: readonly (readonly string[])[]): string {
  const isEmpty = commands.length === 0 || commands.some((words) => words.length === 0)
  // An empty line would end the client.
  if (isEmpty) throw new TrailBossError('INTERNAL', 'A tmux command has no words.')
  return `${commands.map((words) => words.map(quoted).join(' ')).join(' ; ')}\n`
}

function quoted(word: string): string {
  if (/[\0\n]/.test(word)) {
    throw new TrailBossError('INTERNAL', 'A word for tmux has a line break or a NUL in it.')
  }
  return `'${word.replaceAll("'", `'"'"'`)}'`
}
