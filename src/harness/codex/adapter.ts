import type { Adapter } from '../adapter/adapter.ts'
import { hookEvents } from './hook.ts'
import { hooksAdvice } from './hooks-advice.ts'
import { managed } from './managed.ts'
import { isCodex, isCodexProgram } from './process.ts'
import { screenRules } from './screen.ts'
import { seating } from './seating.ts'
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
    answersUntold: 'approving fires no hook before the command has ended',
    transcriptMade: 'the first prompt makes it',
    elsewhere:
      'in the shared daemon of Codex, with no pane that surely shows it (trailboss install codex --no-shared-daemon switches that off)',
  },
  hookEvents,
  transcript: transcriptReader,
  isProcess: isCodex,
  isProgram: isCodexProgram,
  seating,
  screenRules,
  signals,
  wiring,
  managed,
}
