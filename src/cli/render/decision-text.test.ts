import { expect, test } from 'vitest'
import type { DecisionView } from '../../contract/decision.ts'
import { bodyRows, decisionsText, decisionText } from './decision-text.ts'

const READER = { now: 60_000, width: 40 }
const decision = (more: Partial<DecisionView> = {}): DecisionView => ({
  ...{ id: 'robot-asks', kind: 'permission', tool: 'Bash', options: [], more: 0, cut: false },
  ...{ text: 'Bash\ncommand: ls', askedAt: 0, deadline: null, answer: null, withdrawn: null },
  ...{ asker: { name: 'robot', id: 'robot', cwd: '/src/api' }, state: 'pending', waiting: true },
  ...more,
})

test('all of it is shown, under who asks', () => {
  expect(decisionText(decision(), READER)).toMatch(
    /^robot asks to use Bash:\n\n {2}command: ls\n\n/,
  )
})

test('where it is cut, the number of rows that are missing is said, and its beginning stays', () => {
  const text = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
  const shown = decisionText(decision({ text }), READER, 3)
  expect(shown).toContain('  line 0\n  line 1\n  line 2\n  … 1,497 more lines\n\n')
  expect(shown).not.toContain('line 3')
})

test('an answer of many lines leaves room for the other columns of the list', () => {
  const answer = { choice: `First.\n\n${'word '.repeat(60)}`, message: null, by: 'ana', at: 0 }
  const settled = decision({ state: 'answered', answer: { ...answer, changed: false } })
  const [, row] = decisionsText({ decisions: [settled] }, { now: 0 }).split('\n')
  expect(row).toMatch(/^robot-asks {2}First\. · word word word… {2}0s /)
})

test('a long line takes as many rows as it needs', () => {
  expect(bodyRows(decision({ text: 'x'.repeat(100) }), READER)).toHaveLength(3)
})

test.each<Partial<DecisionView>>([
  { asker: { name: 'deploy\u200b.py', id: 'x', cwd: null } },
  { asker: { name: 'x', id: 'x', cwd: '/prod\u2060/../staging\u202e' } },
  { options: ['yes\n2 no', 'no\u202e'] },
  { tool: 'Ba\u200bsh' },
])('%j hides nothing', (more) => {
  const shown = decisionText(decision(more), READER)
  expect(shown).toMatch(/<U\+2[0-9A-F]{3}>/)
  expect(shown).not.toMatch(/\n2 no/)
  const { asker = { name: 'deploy\u200b' } } = more
  const row = decisionsText(
    { decisions: [decision({ asker: { ...asker, id: '', cwd: '' } })] },
    {
      now: 0,
    },
  )
  expect(row).not.toMatch(/[\u200b\u202e\u2060]/)
  if (/[\u200b]/.test(asker.name)) expect(row).toContain('<U+200B>')
})
