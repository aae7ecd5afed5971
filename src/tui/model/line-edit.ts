import { displayText } from '../../core/text.ts'
import { cellsOf } from '../../text/columns.ts'
import type { Key } from './keys.ts'

/** The line after this key; undefined if the key does not edit it. */
export function editedLine(text: string, key: Key, maxChars: number): string | undefined {
  if (key.kind !== 'named') {
    const typed = displayText(key.text).replaceAll('\n', ' ')
    return (text + typed).slice(0, maxChars)
  }
  switch (key.name) {
    case 'backspace':
      return withoutLast(text)
    case 'ctrl-u':
      return ''
    case 'ctrl-w':
      return text.replace(/\S*\s*$/, '')
    default:
      return undefined
  }
}

function withoutLast(text: string): string {
  return cellsOf(text)
    .slice(0, -1)
    .map((cell) => cell.text)
    .join('')
}
