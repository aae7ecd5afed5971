import { expect, test } from 'vitest'
import { type Activity, sceneLines } from './screen.ts'

const question: Activity = {
  kind: 'question',
  selected: 1,
  ask: {
    kind: 'question',
    header: 'Width',
    question: 'Which of the two widths do you like better?',
    options: [
      { label: '640 px', description: 'phones' },
      { label: '768 px', description: 'tablets' },
    ],
  },
}
const said = Array.from({ length: 30 }, (_, i) => ({ kind: 'did', text: `Read(${i})` }) as const)

test('the question and the keys stay on the screen, the conversation gives way', () => {
  const lines = plain({ columns: 60, rows: 12 }, question)
  expect(lines).toHaveLength(12)
  expect(lines[0]).toBe(' web  Make it fit')
  expect(lines.join('\n')).toMatch(/Which of the two[\s\S]*1 {2}640 px[\s\S]*❯ 2 {2}768 px/)
  expect(lines.join('\n')).toContain('Read(29)')
  expect(lines.join('\n')).not.toContain('Read(25)')
  expect(lines.at(-1)).toMatch(/Ctrl-a then {2}Tab next {2}g list {2}S skip {2}d leave/)
})

test.each([
  [20, 6],
  [60, 15],
  [200, 50],
])('at %i×%i nothing is wider or longer than the pane', (columns, rows) => {
  const lines = plain({ columns, rows }, question)
  expect(lines.length).toBeLessThanOrEqual(rows)
  expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
})

test('the composer shows what Enter alone would send, until something is typed', () => {
  const shown = (text: string) =>
    plain({ columns: 80, rows: 24 }, { kind: 'composer', text, suggestion: 'go ahead' }).join('\n')
  expect(shown('')).toMatch(/❯ █ go ahead/)
  expect(shown('no')).toMatch(/❯ no█/)
  expect(shown('no')).not.toContain('go ahead')
})

function plain(size: { columns: number; rows: number }, activity: Activity): string[] {
  const scene = { name: 'web', task: 'Make it fit', prefix: 'C-a', said, activity }
  return sceneLines(scene, size).map((line) => line.replace(/\u001b\[[\d;]*m/g, ''))
}
