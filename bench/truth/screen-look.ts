/**
 * What the human in front of a pane with Claude Code 2.1.325 sees. `prompt`: an empty or half-typed composer
 * and nothing running. The bench has rules of its own, because what the product reads from screens is on trial
 * here.
 */
export type Look = 'prompt' | 'dialog' | 'working' | 'suspended' | 'shell'

const RULE = /^\s*[─▔]{20}/
const DIALOG = /\b(esc to cancel|enter to (confirm|select|submit|set)|ctrl\+g to edit)|❯ \d+\. /i
const BUSY = /\besc to interrupt\b/i
/** The line above the composer that shows what goes on, or how long it took. */
const PROGRESS = /^\s*[·✢✳✶✻✽*] \S/
const UNDER_WAY = /…|Waiting for \d+ .*agent/

/** The list of the sessions in the background. Its lines tell of all of them, not of this pane's. */
const LIST = /^\s*❯ describe a task for a new session/m

/** Undefined: half drawn, or unknown to us. */
export function lookOf(screen: string): Look | undefined {
  if (LIST.test(screen)) return undefined
  const lines = screen.split('\n').filter((line) => line.trim() !== '')
  const last = lines.at(-1) ?? ''
  if (/^\$ ?/.test(last.trimStart())) {
    return lines.slice(-4).some((line) => /suspended|Stopped/.test(line)) ? 'suspended' : 'shell'
  }
  const composer = lines.findLastIndex(
    (line, index) => /^\s*[❯!#]/.test(line) && RULE.test(lines[index - 1] ?? ''),
  )
  const isComposer = composer >= 0 && lines.slice(composer + 1).some((line) => RULE.test(line))
  const bottom = lines.slice(-12)
  if (!isComposer) return bottom.some((line) => DIALOG.test(line)) ? 'dialog' : undefined
  const below = lines.slice(composer + 1)
  const progress = lines.slice(0, composer - 1).findLast((line) => PROGRESS.test(line))
  const isBusy = below.some((line) => BUSY.test(line)) || UNDER_WAY.test(progress ?? '')
  return isBusy ? 'working' : 'prompt'
}
