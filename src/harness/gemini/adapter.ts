import { basename } from 'node:path'
import type { Adapter } from '../adapter.ts'
import { hookEvents } from './hook.ts'
import { HARNESS } from './name.ts'
import { screenRules } from './screen.ts'
import { transcriptReader } from './transcript.ts'

export const gemini: Adapter = {
  harness: HARNESS,
  title: 'Gemini CLI',
  advice: { hooks: () => 'Wire it with: trailboss install gemini' },
  habits: {
    headless: 'gemini -p, or one without a terminal',
    dialogFirst: 'its hooks come after this dialog',
    answersUntold: 'approving fires no hook before the tool has ended, denying none at all',
    transcriptMade: 'the first prompt makes it',
  },
  hookEvents,
  transcript: transcriptReader,
  isProcess: isGemini,
  screenRules,
}

/** A script that Node runs: by its own name where it was made a program, else by that of its file. */
export function isGemini({ name, argv }: { name: string; argv: readonly string[] }): boolean {
  if (name === 'gemini') return true
  if (!/^(?:node|bun|MainThread)/.test(name)) return false
  const script = argv.slice(1).find((word) => !word.startsWith('-'))
  if (script === undefined) return false
  return (
    basename(script) === 'gemini' ||
    /[/\\]gemini-cli[/\\](?:.*[/\\])?(?:gemini|index)\.js$/.test(script)
  )
}
