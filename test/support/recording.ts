import { readFileSync } from 'node:fs'

/**
 * A line of a recorded session of the real Claude Code: a hook as it fired, a line of the transcript, the
 * status file, or the screen that went with it. `at` is when it happened; for the last two, when it was seen.
 */
export type Recorded =
  | { at: number; hook: Record<string, unknown> }
  | { at: number; record: unknown }
  | { at: number; status: Record<string, unknown> }
  | { at: number; screen: string }

/** The version that the tests rely on; `npm run test:real -- --record` creates them again. */
const RECORDED_VERSION = '2.1.325'

/** The signals of a session that went through what `name` says, in order of time. */
export function recording(name: string): Recorded[] {
  const file = `../fixtures/claude-code/${RECORDED_VERSION}/${name}.jsonl`
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
}
