/** A dialog of Claude Code as it is on the screen. */
export type Dialog = { choices: { label: string; isSelected: boolean }[] }

/** Choices in a column, one of them marked, at the bottom of the screen; most of them numbered. */
export function dialogIn(screen: string): Dialog | undefined {
  const lines = screen.trimEnd().split('\n').slice(-30)
  const marked = lines.findLastIndex((line) => /^\s*❯ \S/.test(line))
  const [, indent = ''] = /^(\s*)❯/.exec(lines[marked] ?? '') ?? []
  const isNumbered = /❯ \d+\. /.test(lines[marked] ?? '')
  if (marked < 0 || (!isNumbered && !/Enter to (confirm|select)/.test(screen))) return undefined
  const choice = new RegExp(`^${indent}(❯| ) ${isNumbered ? '\\d+\\. +' : ''}(\\S.*?)\\s*$`)
  const choices = lines.flatMap((line, index) => {
    const [, mark, label] = choice.exec(line) ?? []
    const isNear = isNumbered || Math.abs(index - marked) < 8
    return label && isNear ? [{ label, isSelected: mark === '❯' }] : []
  })
  return { choices }
}

/** A prompt that waits for input, and nothing that runs. */
export function isIdleComposer(screen: string): boolean {
  const bottom = screen.trimEnd().split('\n').slice(-8).join('\n')
  return /^❯\s/m.test(`${bottom}\n`) && !/esc to (interrupt|cancel)/i.test(bottom)
}

/** The dialog and all it shows, without what was on the screen before it. */
export function dialogText(screen: string): string | undefined {
  if (!dialogIn(screen)) return undefined
  const lines = screen.trimEnd().split('\n')
  const ruled = lines.findLastIndex(
    (line, index) => /^─{20}/.test(line) && index < lines.length - 4,
  )
  return lines.slice(Math.max(ruled, 0)).join('\n')
}
