import type { SignalRule } from '../../core/screen/signals.ts'

/** Lines that show what it is doing. */
export const signals: readonly SignalRule[] = [
  {
    signal: 'subagent',
    of: 'qwen',
    patterns: [/^ {2}(?:[✓o?]|\.{1,3})\s*(?:Task|Agent)\b/],
  },
  {
    signal: 'edits',
    of: 'qwen',
    patterns: [/^ {2}(?:[✓o?]|\.{1,3})\s*(?:Edit|WriteFile|NotebookEdit)\b/],
  },
  {
    signal: 'reading',
    of: 'qwen',
    patterns: [
      /^ {2}(?:[✓o?]|\.{1,3})\s*(?:ReadFile|ReadManyFiles|ListFiles|Glob|Grep|WebFetch|WebSearch)\b/,
    ],
  },
]
