import { expect, test } from 'vitest'
import { OWN_SUBJECTS, SUPERVISOR, subjectName, subjectNamed } from './subject.ts'

test.each(OWN_SUBJECTS)('a %s is read back from the name of its item', (kind) => {
  const about = { kind, id: 'a-trigger-1' }
  expect(subjectNamed(SUPERVISOR, subjectName(about))).toEqual(about)
})

test('nothing is read from the session of a harness, nor from another name', () => {
  expect(subjectNamed('codex', 'trigger-trg_1')).toBeUndefined()
  expect(subjectNamed(SUPERVISOR, 'triggered')).toBeUndefined()
})
