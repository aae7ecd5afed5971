import type { SignalRule } from '../../core/screen/signals.ts'

/** Lines that show what it is doing. */
export const signals: readonly SignalRule[] = [
  {
    signal: 'subagent',
    of: 'opencode',
    patterns: [/^[\s│┃]*[◉•│⠁-⣿]\s*\S{1,40} Task\b/, /\bview subagents\b/],
  },
  {
    signal: 'edits',
    of: 'opencode',
    patterns: [/^[\s│┃]*(?:←\s+(?:Edit|Write|Patch|Patched|Wrote)|%\s+Patch|#\s+Wrote)\b/],
  },
  {
    signal: 'reading',
    of: 'opencode',
    patterns: [/^[\s│┃]*(?:→\s+(?:Read|List)|✱\s+(?:Glob|Grep)|%\s+WebFetch|◈\s+\S|#\s+Todos)/],
  },
]
