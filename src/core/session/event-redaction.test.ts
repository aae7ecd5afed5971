import { expect, test } from 'vitest'
import { SECRET_SAMPLES, secretsIn } from '../../../test/support/secret-samples.ts'
import type { AgentEvent } from './event.ts'
import { valueWithoutSecrets, withoutSecrets } from './event-redaction.ts'

const event: AgentEvent = {
  v: 1,
  kind: 'stuck',
  harness: 'h',
  session: 's',
  at: 1,
  source: 'hook',
  reason: 'permission',
}
const KEY = `ghp_${'a1B2c3'.repeat(6)}`

test.each(SECRET_SAMPLES)('no part of an event contains $kind', ({ text }) => {
  const given = {
    ...event,
    ask: { text, tool: text.slice(0, 200), input: { command: text, list: [text] } },
    note: text,
    pending: [{ text, input: text }],
    detail: text,
    block: `Bash:${text}`,
    unknown: { nested: [{ [text]: text }] },
  }
  const clean = withoutSecrets(given)
  expect(secretsIn(JSON.stringify(clean))).toEqual([])
  expect(withoutSecrets(clean)).toEqual(clean)
})

test('the name of a field shows that its value is secret', () => {
  const input = {
    user: 'ana',
    password: 'correct-horse',
    args: ['--user', 'ana', '--password', 'hunter2', '--verbose'],
    headers: { Authorization: `Basic ${'YW5h'.repeat(4)}1` },
  }
  expect(withoutSecrets({ ...event, ask: { text: '', input } }).ask?.input).toEqual({
    user: 'ana',
    password: '[redacted]',
    args: ['--user', 'ana', '--password', '[redacted]', '--verbose'],
    headers: { Authorization: 'Basic [redacted]' },
  })
})

test('names of sessions, panes and files stay as they are', () => {
  const found = {
    ...event,
    session: KEY,
    subagent: KEY,
    cwd: `/home/op/${KEY}`,
    transcript: `/home/op/${KEY}.jsonl`,
    pane: { socket: `/tmp/${KEY}`, id: '%1' },
    marks: ['abcdefghi1'],
  }
  expect(withoutSecrets(found)).toEqual(found)
})

test('two permissions that differ only in their secrets have two names, whoever reports them', () => {
  const named = (token: string) => withoutSecrets({ ...event, block: `Bash:deploy ${token}` }).block
  const other = KEY.replace('a1', 'z9')
  expect(named(KEY)).toMatch(/^Bash:deploy \[redacted\]#[\da-f]{4}$/)
  expect(named(KEY)).toBe(named(KEY))
  expect(named(KEY)).not.toBe(named(other))
  expect(named('now')).toBe('Bash:deploy now')
})

test('a name that was cut within a secret has none of it', () => {
  const block = `Bash:${'deploy '.repeat(30)}${KEY.slice(0, 20)}`
  expect(withoutSecrets({ ...event, block }).block).toMatch(/deploy \[redacted\]#[\da-f]{4}$/)
  const long = `Bash:${'deploy '.repeat(40)}now`
  expect(withoutSecrets({ ...event, block: long }).block).toBe(long)
})

test('any value can be redacted for writing', () => {
  const written = valueWithoutSecrets({ reason: `bad ${KEY}`, n: 1, none: null, on: true })
  expect(written).toEqual({ reason: 'bad [redacted]', n: 1, none: null, on: true })
})
