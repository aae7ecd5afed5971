import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'

const FIXTURES = new URL('../../../test/fixtures/opencode/1.18.33/', import.meta.url)

/** The verdict after each event that the plugin passed on. */
function verdictsOf(name: string) {
  let evidence = noEvidence
  const lines = readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const payload = JSON.parse(line) as { at: number }
    for (const event of hookEvents({ at: payload.at, payload })) {
      evidence = withEvent(evidence, event)
    }
    return verdictOf(evidence)
  })
}

test.each([
  ['turn', 'Recorded.'],
  ['approved', 'Approved.'],
  ['file-written', 'Wrote.'],
  ['question', 'This one.'],
  ['subagent', 'It saw.'],
  ['interrupted', 'Interrupted by you.'],
  ['failed', 'API error: no such key'],
  ['retried', 'Recovered.'],
])('%s ends with: %s', (name, text) => {
  expect(verdictsOf(name).at(-1)).toMatchObject({
    state: 'stuck',
    reason: 'stopped',
    ask: { text },
  })
})

test.each([
  ['approved', 'echo approved'],
  ['denied', 'echo denied'],
  ['question', 'Which?\n  1. This: Choose This\n  2. That: Choose That'],
  ['question-declined', 'Why?\n  1. So: Choose So\n  2. Not: Choose Not'],
  ['subagent', 'ls below'],
])('%s waits for an answer to: %s', (name, text) => {
  const verdicts = verdictsOf(name)
  const waits = { state: 'stuck', reason: 'permission', ask: { text } }
  expect(verdicts).toContainEqual(
    expect.objectContaining({ ...waits, ask: expect.objectContaining({ text }) }),
  )
  expect(verdicts.at(-1)).toMatchObject({ state: 'stuck', reason: 'stopped' })
})
