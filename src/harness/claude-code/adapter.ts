import type { Adapter } from '../adapter/adapter.ts'
import { background } from './background.ts'
import { trust } from './folder-trust.ts'
import { hookEvents } from './hook.ts'
import { hooksAdvice } from './hooks-advice.ts'
import { managed } from './managed.ts'
import { isClaudeCode, screenRules } from './screen.ts'
import { sessionTitle } from './session-title.ts'
import { signals } from './signals.ts'
import { statusSource } from './status.ts'
import { transcriptReader } from './transcript.ts'
import { HARNESS } from './wiring/name.ts'
import { wiring } from './wiring/wiring.ts'

export const claudeCode: Adapter = {
  harness: HARNESS,
  title: 'Claude Code',
  variables: ['CLAUDE_CONFIG_DIR'],
  advice: {
    hooks: hooksAdvice,
    status:
      'Versions before 2.1.139 do not. Without it an approval is first seen when the approved tool has ended.',
  },
  habits: {
    headless: 'claude -p, or a program that drives it',
    dialogFirst: 'its status and its hooks come after this dialog',
    answersUnreported: 'approving fires no hook',
    transcriptMade: 'the first prompt makes it',
  },
  hookEvents,
  transcript: transcriptReader,
  status: statusSource,
  isProcess: ({ name }) => isClaudeCode(name),
  background,
  childVariables: ['CLAUDECODE', 'CLAUDE_CODE_*', 'CLAUDE_PID', 'CLAUDE_AGENT_SDK_*'],
  screenRules,
  sessionTitle,
  signals,
  wiring,
  managed,
  trust,
}
