import type { SignalRule } from '../../core/screen/signals.ts'

/** Lines that show what it is doing. */
export const signals: readonly SignalRule[] = [
  {
    signal: 'subagent',
    of: 'gemini',
    patterns: [/^[\s│┃]*[✓⊶⊷o]\s+(?:Delegate|Subagent|\S+ Agent)\b/],
  },
  {
    signal: 'edits',
    of: 'gemini',
    patterns: [/^[\s│┃]*[✓⊶⊷o]\s+(?:Edit|WriteFile|Replace)\b/],
  },
  {
    signal: 'reading',
    of: 'gemini',
    patterns: [
      /^[\s│┃]*[✓⊶⊷o]\s+(?:ReadFile|ReadFolder|ReadManyFiles|FindFiles|SearchText|GoogleSearch|WebFetch)\b/,
    ],
  },
]
