import type { PaneProgram, PromptedProgram } from './pane-program.ts'

/** How one sees what a program is asked and what stands in its composer. */
export type Drafting = {
  draftIn(screen: string): string | undefined
  isDialog(screen: string): boolean
}

/** On a busy machine a key takes some seconds to show. */
export const AGAIN_MS = 4_000

/** Types and answers, and sees to it that both were taken. */
export function drafting(
  { name, see, type, press, pressUntil }: PaneProgram,
  { draftIn, isDialog }: Drafting,
): Pick<PromptedProgram, 'submit' | 'approve' | 'deny'> {
  const answer = async (key: string) => {
    await see(`${name} to ask`, isDialog)
    await pressUntil(key, (shown) => !isDialog(shown), AGAIN_MS)
  }
  return {
    submit: async (text) => {
      // While it starts keys may be lost, and what was interrupted may stand in the composer again.
      let typedAt = 0
      await see(`${name} to show what was typed`, (shown) => {
        if (draftIn(shown) === text) return true
        if (Date.now() - typedAt > AGAIN_MS) {
          typedAt = Date.now()
          void press('C-u').then(() => type(text))
        }
        return false
      })
      await pressUntil('Enter', (shown) => draftIn(shown) !== text, AGAIN_MS)
    },
    approve: () => answer('Enter'),
    deny: () => answer('Escape'),
  }
}
