import { readFileSync } from 'node:fs'

/** A line of a recorded session of Claude Code 2.1.325: a hook as it fired, or a line of its transcript. */
export type Recorded = { at: number; hook: Record<string, unknown> } | { record: unknown }

/** What hooks and transcript told while the session went through what `name` says, in time's order. */
export function recording(name: string): Recorded[] {
  const file = new URL(`../fixtures/claude-code/2.1.325/${name}.jsonl`, import.meta.url)
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
}
