import type { Adapter } from '../adapter/adapter.ts'
import { trust } from './folder-trust.ts'
import { hookEvents } from './hook.ts'
import { hooksAdvice } from './hooks-advice.ts'
import { managed } from './managed.ts'
import { isCodex, isCodexProgram } from './process.ts'
import { rolloutFiles } from './rollout-files.ts'
import { screenRules } from './screen.ts'
import { background, sessionTitle, sharedDaemon } from './shared-daemon.ts'
import { signals } from './signals.ts'
import { transcriptReader } from './transcript.ts'
import { HARNESS } from './wiring/name.ts'
import { wiring } from './wiring/wiring.ts'

export const codex: Adapter = {
  harness: HARNESS,
  title: 'Codex',
  variables: ['CODEX_HOME'],
  advice: { hooks: hooksAdvice },
  habits: {
    headless: 'codex exec, or a program that drives it',
    dialogFirst: 'its hooks begin with the first prompt',
    answersUnreported: 'approving fires no hook before the command has ended',
    transcriptMade: 'the first prompt makes it',
    elsewhere:
      'in the shared daemon of Codex, with no pane that surely shows it (trailboss install codex --no-shared-daemon switches that off)',
  },
  hookEvents,
  transcript: transcriptReader,
  transcriptFiles: rolloutFiles,
  isProcess: isCodex,
  isProgram: isCodexProgram,
  sharedDaemon,
  background,
  childVariables: ['CODEX_SANDBOX*', 'CODEX_THREAD_ID', 'CODEX_CI'],
  screenRules,
  sessionTitle,
  signals,
  wiring,
  managed,
  trust,
}
