import type { Adapter } from '../adapter/adapter.ts'
import { isNodeProgram } from '../adapter/node-script.ts'
import { hookEvents } from './hook.ts'
import { HARNESS } from './name.ts'
import { screenRules } from './screen.ts'
import { signals } from './signals.ts'
import { wiring } from './wiring.ts'

export const qwen: Adapter = {
  harness: HARNESS,
  title: 'Qwen Code',
  variables: ['QWEN_HOME', 'QWEN_CODE_SYSTEM_SETTINGS_PATH'],
  advice: { hooks: () => 'Wire it with: trailboss install qwen' },
  habits: {
    headless: 'qwen -p, or one without a terminal',
    dialogFirst: 'its hooks come after this dialog',
  },
  hookEvents,
  isProcess: isQwen,
  childVariables: ['QWEN_CODE', 'QWEN_CODE_NO_RELAUNCH'],
  screenRules,
  signals,
  wiring,
}

/** A script that Node runs, which starts itself a second and a third time. */
export function isQwen(process: { name: string; argv: readonly string[] }): boolean {
  const file = /[/\\]qwen-code[/\\](?:.*[/\\])?(?:cli|cli-entry|index)\.js$/
  return isNodeProgram(process, { command: 'qwen', file })
}
