import { TrailBossError } from '../core/errors.ts'

/**
 * A command as tmux reads it from a file, so that every word stays that word: in argument lists, a word that
 * ends in a semicolon ends the command, and a line break after a backslash disappears, even in quotes.
 */
export function sourceText(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  if (word.includes('\0')) throw new TrailBossError('INTERNAL', 'A word for tmux has a NUL in it.')
  return word.split('\n').map(inSingleQuotes).join('"\\n"')
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`
}
