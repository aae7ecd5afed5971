import { displayLine } from '../text.ts'
import { idStart, type Nameable } from './item-names.ts'

/**
 * Whether people may call it that: by some of what its name can have in it, in any order, with a blank or a slash
 * between: `api`, `api fix-login`, `api/fix-login`, `api · work:3`.
 */
export function isCalled(text: string, item: Nameable): boolean {
  const { agent, project, branch, worktree, window, pane } = item
  const parts = [agent, project, branch, worktree, window, pane?.id, idStart(item)]
  const shown = parts.map((part) => displayLine(part ?? '')).filter((part) => part !== '')
  return isMadeOf(displayLine(text), shown)
}

function isMadeOf(text: string, parts: readonly string[]): boolean {
  return parts.some((part, index) => {
    if (text === part) return true
    const rest = text.startsWith(part) && /^(?: · |[ /])(.*)/.exec(text.slice(part.length))?.[1]
    return rest ? isMadeOf(rest, parts.toSpliced(index, 1)) : false
  })
}
