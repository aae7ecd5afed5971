import type { Adapter } from '../adapter/adapter.ts'
import { isNodeProgram } from '../adapter/node-script.ts'
import { trust } from './folder-trust.ts'
import { hookEvents } from './hook.ts'
import { managed } from './managed.ts'
import { HARNESS } from './name.ts'
import { screenRules } from './screen.ts'
import { signals } from './signals.ts'
import { transcriptReader } from './transcript.ts'
import { transcriptFiles } from './transcript-files.ts'
import { wiring } from './wiring.ts'

export const gemini: Adapter = {
  harness: HARNESS,
  title: 'Gemini CLI',
  variables: [
    'GEMINI_CLI_HOME',
    'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
  ],
  advice: { hooks: () => 'Wire it with: trailboss install gemini' },
  habits: {
    headless: 'gemini -p, or one without a terminal',
    dialogFirst: 'its hooks come after this dialog',
    answersUnreported: 'approving fires no hook before the tool has ended, denying none at all',
    transcriptMade: 'the first prompt makes it',
  },
  hookEvents,
  transcript: transcriptReader,
  transcriptFiles,
  isProcess: isGemini,
  childVariables: ['GEMINI_CLI', 'GEMINI_CLI_NO_RELAUNCH'],
  screenRules,
  signals,
  wiring,
  managed,
  trust,
}

export function isGemini(process: { name: string; argv: readonly string[] }): boolean {
  const file = /[/\\]gemini-cli[/\\](?:.*[/\\])?(?:gemini|index)\.js$/
  return isNodeProgram(process, { command: 'gemini', file })
}
