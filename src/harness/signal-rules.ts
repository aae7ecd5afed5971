import { COMMON_SIGNALS } from '../core/monitor/common-signals.ts'
import type { SignalRule } from '../core/screen/signals.ts'
import { signalRules as claudeCode } from './claude-code/signals.ts'
import { signalRules as codex } from './codex/signals.ts'
import { signalRules as gemini } from './gemini/signals.ts'
import { signalRules as opencode } from './opencode/signals.ts'
import { signalRules as qwen } from './qwen/signals.ts'

/** The rules for the screen of a harness; for any other program those that fit everywhere. */
export function signalRulesFor(harness: string | undefined): readonly SignalRule[] {
  return (harness !== undefined && BY_HARNESS.get(harness)) || COMMON_SIGNALS
}

const BY_HARNESS: ReadonlyMap<string, readonly SignalRule[]> = new Map([
  ['claude-code', [...claudeCode, ...COMMON_SIGNALS]],
  ['codex', [...codex, ...COMMON_SIGNALS]],
  ['opencode', [...opencode, ...COMMON_SIGNALS]],
  ['gemini', [...gemini, ...COMMON_SIGNALS]],
  ['qwen', [...qwen, ...COMMON_SIGNALS]],
])
