import type { SignalRule } from '../../core/screen/signals.ts'

/** Lines that show what it is doing. */
export const signals: readonly SignalRule[] = [
  {
    signal: 'subagent',
    of: 'codex',
    patterns: [
      /^\s*[•◦]\s+(?:Spawned|Spawning|Waiting for) (?:an? |\d+ )?(?:\S+ )?agents?\b/,
      /^\s*[•◦]\s+Spawned \S+ \([^)]{1,60}\)$/,
    ],
  },
  {
    signal: 'edits',
    of: 'codex',
    patterns: [
      /^\s*[•◦]\s+(?:Edited|Added|Deleted|Updated|Proposed Change)\b.{0,200}\(\+\d+ -\d+\)/,
    ],
  },
  {
    signal: 'reading',
    of: 'codex',
    patterns: [
      /^\s*[•◦]\s+(?:Explor(?:ed|ing)|Updated Plan|Search(?:ed|ing) the web|Viewed Image)\b/,
      /^(?:\s{4}|\s*└\s+)(?:Read|List|Search) \S/,
    ],
  },
]
