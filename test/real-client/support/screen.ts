/** A dialog of Claude Code as it is on the screen. */
export type Dialog = { choices: { label: string; isSelected: boolean }[] }

/** Numbered choices, one of them marked, at the bottom of the screen. */
export function dialogIn(screen: string): Dialog | undefined {
  const lines = screen.trimEnd().split('\n')
  const bottom = lines.slice(-30)
  const choices = bottom.flatMap((line) => {
    const [, mark, label] = /^[\s│]*(❯)?\s*\d+\.\s+(.+?)[\s│]*$/.exec(line) ?? []
    return label === undefined ? [] : [{ label, isSelected: mark !== undefined }]
  })
  return choices.some(({ isSelected }) => isSelected) ? { choices } : undefined
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
