import type { Screen } from './screen.ts'

/**
 * What kind of work a screen shows. It sets the pace of the monitor and nothing else, so a wrong guess
 * costs a look that comes too early or too late, never a wrong verdict.
 */
export type Signal = (typeof SIGNALS)[number]

/** Of two on the same line the earlier one counts. `quiet` is a screen that shows none of the others. */
export const SIGNALS = [
  'question',
  'dispatched',
  'subagent',
  'tests',
  'build',
  'edits',
  'reading',
  'quiet',
] as const

/** Lines in which programs say what they do, in their own words. Any one of `patterns` will do. */
export type SignalRule = { signal: Signal; of: string; patterns: readonly RegExp[] }

/** The latest output is at the bottom, so the lowest line that says anything decides. */
export function signalOf(
  screen: Pick<Screen, 'lines'>,
  rules: readonly SignalRule[] = SIGNAL_RULES,
): Signal {
  const latest = screen.lines.filter((line) => line.trim() !== '').slice(-MOST_LINES)
  for (const line of latest.reverse()) {
    const text = line.slice(0, MOST_CHARS)
    const shown = rules.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
    const signal = SIGNALS.find((one) => shown.some((rule) => rule.signal === one))
    if (signal) return signal
  }
  return 'quiet'
}

const MOST_LINES = 40
const MOST_CHARS = 400

/** How agents and shells write a command that they run: `$ …`, `● Bash(…`, `• Ran …`, `│ ⊶  Shell …`. */
function command(words: string): RegExp {
  return new RegExp(
    `^[\\s│┃|]*(?:[●⏺•⎿└✓⊶⊷o?]\\s+)?(?:[^\\s$%#❯›]{0,40}[$%#❯›]\\s+|(?:Bash|Shell)\\(|(?:Ran|Running|Shell|Bash)\\s+)(?:[\\w./-]+=\\S*\\s+)*(?:cd \\S+ && )?(?:time |sudo |npx |bunx |uv run |poetry run )?${words}`,
    'u',
  )
}

const TEST_RUN =
  '(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?:vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit|playwright)\\b|python3? -m (?:pytest|unittest)|(?:cargo|go|make|mvn|gradle|\\./gradlew|dotnet|swift|zig build|bazel|deno) test|cargo nextest)'
const BUILD_RUN =
  '(?:(?:npm|pnpm|yarn|bun) (?:install|i|ci|add|run build|build)\\b|(?:pip3?|uv pip|apt|apt-get|brew|gem|bundle|poetry|composer) install|uv sync|(?:cargo|go|docker|bazel|zig|swift|dotnet|gradle|\\./gradlew) (?:build|install)|cargo (?:check|clippy)|(?:make|ninja|cmake|tsc|webpack|vite build|mvn)\\b)'

export const SIGNAL_RULES: readonly SignalRule[] = [
  {
    signal: 'question',
    of: 'every harness: a dialog ends with its keys',
    patterns: [
      /\b(?:Enter|enter) to (?:select|confirm|submit)\b.{0,80}\b[Ee]sc\b/,
      /^\s*Esc to cancel · /,
      /^[\s│┃]*(?:Allow once\s{2,}|Do you want to (?:proceed|make this edit)|Apply this change\?|Allow execution)/,
    ],
  },
  {
    signal: 'question',
    of: 'plain programs that ask',
    patterns: [/[[(](?:y\/n|Y\/n|y\/N|yes\/no|Yes\/No)[\])]\s*[:?]?$/, /^Password(?: for \S+)?:$/],
  },
  {
    signal: 'dispatched',
    of: 'a composer that still holds what was pasted',
    patterns: [/^[\s│┃]*[❯›>]\s.{0,80}\[Pasted (?:text #\d+|Content \d+|~?\d+ lines)/],
  },
  {
    signal: 'subagent',
    of: 'Claude Code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Task|Agent|Explore|Plan)\(/,
      /^\s*(?:[●⏺]\s+)?Running \d+ (?:\S+ )?agents?\b/,
      /^\s*[✻✽✶✳✢·*]\s+Waiting for \d+ background agents?\b/,
    ],
  },
  {
    signal: 'subagent',
    of: 'Codex',
    patterns: [/^\s*[•◦]\s+(?:Spawned|Spawning|Waiting for) (?:an? |\d+ )?(?:\S+ )?agents?\b/],
  },
  {
    signal: 'subagent',
    of: 'opencode',
    patterns: [/^[\s│┃]*[◉•│]\s*\S{1,40} Task\b/, /\bview subagents\b/],
  },
  {
    signal: 'subagent',
    of: 'Gemini',
    patterns: [/^[\s│┃]*[✓⊶⊷o]\s+(?:Delegate|Subagent|\S+ Agent)\b/],
  },
  { signal: 'tests', of: 'a command that runs tests', patterns: [command(TEST_RUN)] },
  {
    signal: 'tests',
    of: 'vitest, jest, mocha',
    patterns: [
      /^\s*(?:⎿\s*)?(?:PASS|FAIL|RUNS?)\s+\S/,
      /^\s*(?:✓|✔|✗|×|❯|✖|√)\s+\S.{0,200}(?:\(\d+ tests?\b|\s\d+(?:\.\d+)?\s?ms\b)/,
      /^\s*(?:Test Files|Test Suites:|Tests:?)\s+\d/,
    ],
  },
  {
    signal: 'tests',
    of: 'pytest',
    patterns: [
      /^=+ (?:test session starts|FAILURES|\d+ (?:passed|failed)\b)/,
      /^\S+\.py(?:::\S+)? (?:[.FEsxX]+|PASSED|FAILED|SKIPPED|ERROR)\s+\[\s*\d+%\]/,
      /^collect(?:ing|ed \d+ items)\b/,
    ],
  },
  {
    signal: 'tests',
    of: 'cargo, go, TAP',
    patterns: [
      /^running \d+ tests?$/,
      /^test \S{1,200} \.\.\. (?:ok|FAILED|ignored)?$/,
      /^\s*(?:=== RUN|--- (?:PASS|FAIL):|ok\s+\S+\s+[\d.]+s)/,
      /^(?:not )?ok \d+ /,
    ],
  },
  { signal: 'build', of: 'a command that builds or installs', patterns: [command(BUILD_RUN)] },
  {
    signal: 'build',
    of: 'cargo, rustc',
    patterns: [
      /^\s*(?:Compiling|Checking|Downloading|Downloaded|Updating|Building|Installing|Finished) \S.{0,120}(?:\sv\d|`\S+` profile|crates|index|\[=*>?\s*\])/,
    ],
  },
  {
    signal: 'build',
    of: 'make, cmake, ninja, compilers',
    patterns: [
      /^\[\s*\d{1,3}%\] (?:Building|Linking|Built|Generating)\b/,
      /^\[\d+\/\d+\]\s+\S/,
      /^make(?:\[\d+\])?: (?:Entering|Leaving|Nothing)\b/,
      /^(?:\S+\/)?(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+|rustc|javac|ld)\s+-/,
      /^\s*(?:CC|CXX|LD|AR|AS)\s+\S+\.\w{1,3}$/,
    ],
  },
  {
    signal: 'build',
    of: 'npm, pip, docker, bundlers',
    patterns: [
      /^[\u2800-\u28ff]$/u,
      /^npm (?:warn|http|timing|info|WARN)\b/,
      /^(?:added|changed|removed) \d+ packages?\b/,
      /^Progress: resolved \d+/,
      /^\s*(?:Collecting|Downloading|Installing collected packages:|Building wheels?) \S/,
      /^\s*(?:=> )?(?:\[\s*\S+ \d+\/\d+\]|#\d+ \[)/,
      /^\s*(?:vite v\S+ building|transforming\b|rendering chunks)/,
      /^\d{1,2}:\d{2}:\d{2}.{0,4} - Starting compilation\b/,
    ],
  },
  {
    signal: 'edits',
    of: 'Claude Code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Update|Write|Edit|MultiEdit|NotebookEdit|Create)\(/,
      /^\s*⎿\s+(?:Updated|Wrote|Added|Removed|Created) .{0,160}\b(?:lines?|additions?|removals?)\b/,
    ],
  },
  {
    signal: 'edits',
    of: 'Codex',
    patterns: [
      /^\s*[•◦]\s+(?:Edited|Added|Deleted|Updated|Proposed Change)\b.{0,200}\(\+\d+ -\d+\)/,
    ],
  },
  {
    signal: 'edits',
    of: 'opencode',
    patterns: [/^[\s│┃]*(?:←\s+(?:Edit|Write|Patch|Patched|Wrote)|%\s+Patch|#\s+Wrote)\b/],
  },
  {
    signal: 'edits',
    of: 'Gemini',
    patterns: [/^[\s│┃]*[✓⊶⊷o]\s+(?:Edit|WriteFile|Replace)\b/],
  },
  {
    signal: 'reading',
    of: 'Claude Code',
    patterns: [
      /^\s*(?:[●⏺]\s+)?(?:Read|Search|Glob|Grep|LS|List|Fetch|Web Search|WebFetch)\(/,
      /^\s*(?:[●⏺]\s+)?(?:Read \d+ files?|Reading \d+|Searched for \d+|Searching for \d+|Listed \d+)\b/,
      /\bplan mode on\b/,
    ],
  },
  {
    signal: 'reading',
    of: 'Codex',
    patterns: [
      /^\s*[•◦]\s+(?:Explor(?:ed|ing)|Updated Plan|Search(?:ed|ing) the web|Viewed Image)\b/,
      /^(?:\s{4}|\s*└\s+)(?:Read|List|Search) \S/,
    ],
  },
  {
    signal: 'reading',
    of: 'opencode',
    patterns: [/^[\s│┃]*(?:→\s+(?:Read|List)|✱\s+(?:Glob|Grep)|%\s+WebFetch|◈\s+\S|#\s+Todos)/],
  },
  {
    signal: 'reading',
    of: 'Gemini',
    patterns: [
      /^[\s│┃]*[✓⊶⊷o]\s+(?:ReadFile|ReadFolder|ReadManyFiles|FindFiles|SearchText|GoogleSearch|WebFetch)\b/,
    ],
  },
]
