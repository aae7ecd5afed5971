import type { PaneProgram, PromptedProgram } from './pane-program.ts'

/** How one sees what a program is asked and what stands in its composer. */
export type Drafting = {
  draftIn(screen: string): string | undefined
  isDialog(screen: string): boolean
}

/** Types and answers, and sees to it that both were taken. */
export function drafting(
  { name, see, draft, pressUntil }: PaneProgram,
  { draftIn, isDialog }: Drafting,
): Pick<PromptedProgram, 'submit' | 'approve' | 'deny'> {
  const answer = async (key: string) => {
    await see(`${name} to ask`, isDialog)
    await pressUntil(key, (shown) => !isDialog(shown))
  }
  return {
    submit: async (text) => {
      await draft(text, (shown) => draftIn(shown) === text)
      await pressUntil('Enter', (shown) => draftIn(shown) !== text)
    },
    approve: () => answer('Enter'),
    deny: () => answer('Escape'),
  }
}
