import { TrailBossError } from '../../core/errors.ts'

/**
 * A command as tmux reads it from a file, so that every word is that word: a word in argument lists ends
 * the command where it ends in a semicolon, and a line break after a backslash is none, even in quotes.
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
