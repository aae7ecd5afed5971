import { COMMON_SIGNALS } from '../core/monitor/common-signals.ts'
import type { SignalRule } from '../core/screen/signals.ts'
import { ADAPTERS } from './registry.ts'

/** The rules for the screen of a harness; for any other program, those that fit everywhere. */
export function signalRulesFor(harness: string | undefined): readonly SignalRule[] {
  return (harness !== undefined && BY_HARNESS.get(harness)) || COMMON_SIGNALS
}

const BY_HARNESS: ReadonlyMap<string, readonly SignalRule[]> = new Map(
  ADAPTERS.map(({ harness, signals = [] }) => [harness, [...signals, ...COMMON_SIGNALS]]),
)
