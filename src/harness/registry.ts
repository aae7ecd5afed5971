import type { Adapter, WiredAdapter } from './adapter/adapter.ts'
import { claudeCode } from './claude-code/adapter.ts'
import { codex } from './codex/adapter.ts'
import { copilot } from './copilot/adapter.ts'
import { gemini } from './gemini/adapter.ts'
import { opencode } from './opencode/adapter.ts'
import { qwen } from './qwen/adapter.ts'

export const ADAPTERS: readonly Adapter[] = [claudeCode, codex, copilot, gemini, opencode, qwen]

/** Whose hook it is where the hook does not say it. */
export const DEFAULT_HARNESS = claudeCode.harness

export function adapterFor(harness: string): Adapter | undefined {
  return ADAPTERS.find((adapter) => adapter.harness === harness)
}

/** The names of those that can be run in a pane of ours. */
export function managedHarnesses(): string[] {
  return ADAPTERS.filter(({ managed }) => managed).map(({ harness }) => harness)
}

/** Those that `trailboss install` knows. */
export function wiredAdapters(): WiredAdapter[] {
  return ADAPTERS.flatMap((adapter) =>
    adapter.wiring ? [{ ...adapter, wiring: adapter.wiring }] : [],
  )
}
