import * as v from 'valibot'
import { expect, test } from 'vitest'
import { issueText } from './issue-text.ts'

const Schema = v.strictObject({
  name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(3))),
  words: v.optional(v.pipe(v.array(v.string()), v.minLength(2), v.maxLength(3))),
  count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(4))),
  mode: v.optional(v.picklist(['on', 'off'])),
  key: v.optional(v.pipe(v.string(), v.regex(/^a/, 'a word with an a'))),
  role: v.optional(v.strictObject({ harness: v.string() })),
  roles: v.optional(v.record(v.string(), v.boolean())),
})

test.each([
  [{ evn: 1 }, 'evn: there is no such name'],
  [{ role: {} }, 'role.harness: it is missing'],
  [{ role: 3 }, 'role: it is not an object'],
  [{ roles: { a: 1 } }, 'roles.a: it is not true or false'],
  [{ name: 'long' }, 'name: it is longer than 3 characters'],
  [{ name: '' }, 'name: it is empty'],
  [{ name: 3 }, 'name: it is not a text'],
  [{ words: ['a'] }, 'words: it has fewer than 2 entries'],
  [{ words: ['a', 'b', 'c', 'd'] }, 'words: it has more than 3 entries'],
  [{ words: 'a' }, 'words: it is not a list'],
  [{ count: 1 }, 'count: it is less than 2'],
  [{ count: 5 }, 'count: it is more than 4'],
  [{ count: 2.5 }, 'count: it is not a whole number'],
  [{ count: '2' }, 'count: it is not a number'],
  [{ mode: 'no' }, 'mode: it must be one of "on", "off"'],
  [{ key: 'b' }, 'key: a word with an a'],
  ['text', 'the body: it is not an object'],
])('the words for %j are: %s', (input, said) => {
  const { issues } = v.safeParse(Schema, input)
  expect(issues && issueText(issues[0], 'the body')).toBe(said)
})
