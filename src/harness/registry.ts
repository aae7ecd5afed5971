import type { Adapter } from './adapter.ts'
import { claudeCode } from './claude-code/adapter.ts'

export function adapterFor(harness: string): Adapter | undefined {
  return ADAPTERS.get(harness)
}

const ADAPTERS: ReadonlyMap<string, Adapter> = new Map(
  [claudeCode].map((adapter) => [adapter.harness, adapter]),
)
