import type { SignalRule } from '../../core/screen/signals.ts'

/** Lines that show what it is doing. */
export const signals: readonly SignalRule[] = [
  {
    signal: 'subagent',
    of: 'claude-code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Task|Agent|Explore|Plan)\(/,
      /^\s*(?:[●⏺]\s+)?Running \d+ (?:\S+ )?agents?\b/,
      /^\s*[✻✽✶✳✢·*]\s+Waiting for \d+ background agents?\b/,
    ],
  },
  {
    signal: 'edits',
    of: 'claude-code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Update|Write|Edit|MultiEdit|NotebookEdit|Create)\(/,
      /^\s*⎿\s+(?:Updated|Wrote|Added|Removed|Created) .{0,160}\b(?:lines?|additions?|removals?)\b/,
    ],
  },
  {
    signal: 'reading',
    of: 'claude-code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Read|Search|Glob|Grep|LS|List|Fetch|Web Search|WebFetch)\(/,
      /^\s*(?:[●⏺]\s+)?(?:Read \d+ files?|Reading \d+|Searched for \d+|Searching for \d+|Listed \d+)\b/,
      /\bplan mode on\b/,
    ],
  },
]
