import { TrailBossError } from '../core/errors.ts'
import { displayLine, truncate } from '../core/text.ts'
import type { Adapter, ManagedAdapter, WiredAdapter } from './adapter/adapter.ts'
import { claudeCode } from './claude-code/adapter.ts'
import { codex } from './codex/adapter.ts'
import { copilot } from './copilot/adapter.ts'
import { gemini } from './gemini/adapter.ts'
import { opencode } from './opencode/adapter.ts'
import { qwen } from './qwen/adapter.ts'

export const ADAPTERS: readonly Adapter[] = [claudeCode, codex, copilot, gemini, opencode, qwen]

/** The harness of a hook that does not name one. */
export const DEFAULT_HARNESS = claudeCode.harness

export function adapterFor(harness: string): Adapter | undefined {
  return ADAPTERS.find((adapter) => adapter.harness === harness)
}

/** Those that can be run in a pane of ours. */
export function managedAdapters(): ManagedAdapter[] {
  return ADAPTERS.flatMap((adapter) =>
    adapter.managed ? [{ ...adapter, managed: adapter.managed }] : [],
  )
}

/** Their names. */
export function managedHarnesses(): string[] {
  return managedAdapters().map(({ harness }) => harness)
}

/** One that can be run in a pane of ours. Throws `BAD_CONFIG`. */
export function managedHarness(harness: string): ManagedAdapter {
  const adapter = managedAdapters().find((one) => one.harness === harness)
  if (adapter) return adapter
  const shown = truncate(displayLine(harness), 80)
  throw new TrailBossError('BAD_CONFIG', `Trail Boss cannot run "${shown}".`, {
    hint: `It can run: ${managedHarnesses().join(', ')}.`,
  })
}

/** What any of them sets for the programs that it runs. */
export function childVariables(): string[] {
  return ADAPTERS.flatMap((adapter) => adapter.childVariables ?? [])
}

/** The adapters that `trailboss install` knows. */
export function wiredAdapters(): WiredAdapter[] {
  return ADAPTERS.flatMap((adapter) =>
    adapter.wiring ? [{ ...adapter, wiring: adapter.wiring }] : [],
  )
}
