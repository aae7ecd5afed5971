import { expect, test } from 'vitest'
import { type Signal, signalOf } from '../core/screen/signals.ts'
import { signalRulesFor } from './signal-rules.ts'

const HARNESSES = ['claude-code', 'codex', 'opencode', 'gemini', 'qwen']
const RULES = HARNESSES.flatMap(signalRulesFor)
const shown = (...lines: string[]): Signal => signalOf({ lines }, RULES)

test.each<[Signal, string]>([
  ['edits', '● Update(src/main.ts)'],
  ['edits', '⏺ Write(notes.md)'],
  ['edits', '  ⎿  Updated src/main.ts with 3 additions and 1 removal'],
  ['edits', '• Edited src/main.rs (+3 -1)'],
  ['subagent', '• Spawned 01a1e2bd-6f23-7762-b6b7-9d2b5ec85a55 (gpt-5 medium)'],
  ['edits', '  ← Edit src/main.ts'],
  ['edits', '┃  # Wrote src/main.ts'],
  ['edits', '│ ✓  WriteFile Writing to notes.md            │'],
  ['edits', '  ✓ WriteFile Writing to a.txt'],
  ['reading', '  ..ReadFile a.txt'],
  ['tests', '● Bash(npm test)'],
  ['tests', '● Bash(cd app && npx vitest run)'],
  ['tests', '• Ran cargo test --all'],
  ['tests', '│ ⊶  Shell pytest -q                          │'],
  ['tests', 'op@ranch:~$ CI=1 make test'],
  ['tests', '$ go test ./...'],
  ['tests', ' ✓ src/core/session/queue.test.ts (12 tests) 34ms'],
  ['tests', 'PASS src/app.test.js'],
  ['tests', '============ test session starts ============'],
  ['tests', 'tests/test_app.py ..F..                  [ 45%]'],
  ['tests', 'running 12 tests'],
  ['tests', 'test core::queue::keeps_order ... ok'],
  ['tests', '=== RUN   TestQueue'],
  ['build', '● Bash(npm install)'],
  ['build', '• Running cargo build --release'],
  ['build', '$ make -j4'],
  ['build', '$ tsc --noEmit'],
  ['build', '   Compiling serde v1.0.200'],
  ['build', '[ 42%] Building CXX object src/main.o'],
  ['build', '[12/340] src/main.o'],
  ['build', 'added 312 packages in 4s'],
  ['build', 'Collecting requests'],
  ['build', 'gcc -O2 -c main.c'],
  ['subagent', '● Task(Look into the tests)'],
  ['subagent', '● Agent(Look into it)'],
  ['subagent', '✻ Waiting for 1 background agent to finish'],
  ['subagent', '• Spawned an agent to read the docs'],
  ['subagent', '◉ General Task "read the docs"'],
  ['reading', '● Read(src/main.ts)'],
  ['reading', '  Read 3 files (ctrl+o to expand)'],
  ['reading', '● Search(pattern: "queue", path: "src")'],
  ['reading', '• Explored'],
  ['reading', '  └ Read main.rs'],
  ['reading', '• Updated Plan'],
  ['reading', '  → Read src/main.ts'],
  ['reading', '  ✱ Grep "queue"'],
  ['reading', '│ ✓  ReadFile src/main.ts                     │'],
  ['question', 'Enter to select · ↑/↓ to navigate · Esc to cancel'],
  ['question', '  Press enter to confirm or esc to cancel'],
  ['question', ' Esc to cancel · Tab to amend'],
  ['question', 'Do you want to continue? [Y/n]'],
  ['dispatched', '❯ [Pasted text #1 +12 lines]'],
  ['dispatched', '› [Pasted Content 6109 chars]'],
  ['quiet', 'I read the tests and updated the build.'],
  ['quiet', 'op@ranch:~$'],
  ['quiet', ''],
])('%s: %s', (signal, line) => {
  expect(shown('● One moment.', line, '', '✻ Working… (12s · esc to interrupt)')).toBe(signal)
})

test('the lowest line that says anything decides', () => {
  expect(shown('● Update(a.ts)', '● Bash(npm test)')).toBe('tests')
  expect(shown('● Bash(npm test)', '● Update(a.ts)', 'and so on')).toBe('edits')
})

test('lines far up on a tall screen are over', () => {
  expect(shown('● Update(a.ts)', ...Array.from({ length: 60 }, (_, n) => `line ${n}`))).toBe(
    'quiet',
  )
})

test('an empty screen is quiet', () => {
  expect(shown()).toBe('quiet')
})

test('every rule can match a line as long as a screen is wide, and is cheap', () => {
  const hostile = ['a', ' ', '=', '│', '● ', '($ ', 'A=1 '].map((part) => part.repeat(3_000))
  expect(signalOf({ lines: hostile }, RULES)).toBe('quiet')
  expect(RULES.every(({ patterns }) => patterns.every(({ flags }) => flags === ''))).toBe(true)
})

test('an unknown program is recognised by what it runs', () => {
  expect(signalOf({ lines: ['$ npm test'] }, signalRulesFor(undefined))).toBe('tests')
  expect(signalOf({ lines: ['● Update(a.ts)'] }, signalRulesFor('codex'))).toBe('quiet')
})
