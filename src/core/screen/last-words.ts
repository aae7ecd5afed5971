import type { Screen } from './screen.ts'

/**
 * Whether the end of an agent's message is on its screen. Only letters and digits count, since the message may
 * be folded, and drawn without its Markdown. A message without any is never found.
 */
export function endsOnScreen(words: string, { lines }: Pick<Screen, 'lines'>): boolean {
  const end = bare(words).slice(-LONGEST_END)
  return end !== '' && bare(lines.join('')).includes(end)
}

const LONGEST_END = 20

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}
