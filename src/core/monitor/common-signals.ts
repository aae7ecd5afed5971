import type { SignalRule } from '../screen/signals.ts'

/** How agents and shells write a command that they run: `$ …`, `● Bash(…`, `• Ran …`, `│ ⊶  Shell …`. */
function command(words: string): RegExp {
  return new RegExp(
    `^[\\s│┃|]*(?:[●⏺•⎿└✓⊶⊷o?]\\s+)?(?:[^\\s$%#❯›]{0,40}[$%#❯›]\\s+|(?:Bash|Shell)\\(|(?:Ran|Running|Shell|Bash)\\s+)(?:[\\w./-]+=\\S*\\s+)*(?:cd \\S+ && )?(?:time |sudo |npx |bunx |uv run |poetry run )?${words}`,
  )
}

const TEST_RUN =
  '(?:(?:npm|pnpm|yarn|bun) (?:run )?test|(?:vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit|playwright)\\b|python3? -m (?:pytest|unittest)|(?:cargo|go|make|mvn|gradle|\\./gradlew|dotnet|swift|zig build|bazel|deno) test|cargo nextest)'
const BUILD_RUN =
  '(?:(?:npm|pnpm|yarn|bun) (?:install|i|ci|add|run build|build)\\b|(?:pip3?|uv pip|apt|apt-get|brew|gem|bundle|poetry|composer) install|uv sync|(?:cargo|go|docker|bazel|zig|swift|dotnet|gradle|\\./gradlew) (?:build|install)|cargo (?:check|clippy)|(?:make|ninja|cmake|tsc|webpack|vite build|mvn)\\b)'

/** Lines that look the same in every agent or shell. */
export const COMMON_SIGNALS: readonly SignalRule[] = [
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
      /^[\u2800-\u28ff]$/,
      /^npm (?:warn|http|timing|info|WARN)\b/,
      /^(?:added|changed|removed) \d+ packages?\b/,
      /^Progress: resolved \d+/,
      /^\s*(?:Collecting|Downloading|Installing collected packages:|Building wheels?) \S/,
      /^\s*(?:=> )?(?:\[\s*\S+ \d+\/\d+\]|#\d+ \[)/,
      /^\s*(?:vite v\S+ building|transforming\b|rendering chunks)/,
      /^\d{1,2}:\d{2}:\d{2}.{0,4} - Starting compilation\b/,
    ],
  },
]
