import { expect, test } from 'vitest'
import type { AgentEvent } from '../../core/session/event.ts'
import { transcriptReader } from './transcript.ts'

function toldBy(...records: unknown[]): AgentEvent[] {
  let state = transcriptReader.start('s1')
  return records.flatMap((record) => {
    const read = transcriptReader.read(state, record)
    state = read.state
    return read.event ?? []
  })
}

const at = (seconds: number, ms = 0) => new Date(seconds * 1_000 + ms).toISOString()
const user = (text: string, timestamp = at(10)) => ({
  id: 'u',
  timestamp,
  type: 'user',
  content: [{ text }],
})
const context = (timestamp: string) => user('<session_context>\nThis is it.', timestamp)
const results = (timestamp: string) => ({
  timestamp,
  type: 'user',
  content: [{ functionResponse: { name: 'read_file', response: {} } }],
})
const touched = { $set: { lastUpdated: at(10) } }
const cancelled = (timestamp: string) => ({
  timestamp,
  type: 'info',
  content: 'Request cancelled.',
})

test('a prompt, an answer and the results of tools are work', () => {
  const answer = { timestamp: at(11), type: 'gemini', content: 'Hello.', tokens: {} }
  expect(toldBy(user('Hi'), touched, answer, results(at(12)))).toMatchObject([
    { kind: 'unstuck', prompt: true, session: 's1', source: 'transcript', at: 10_000 },
    { kind: 'seen', at: 11_000 },
    { kind: 'unstuck', detail: 'tool results', at: 12_000 },
  ])
})

test('a cancelled request ends the turn', () => {
  expect(toldBy(cancelled(at(10)))).toMatchObject([
    { kind: 'stuck', reason: 'stopped', ask: { text: 'Interrupted by you.' } },
  ])
})

test('an error ends the turn, with its message', () => {
  const error = (content: string) => ({ timestamp: at(10), type: 'error', content })
  const json = '[API Error: {"error":{"code":400,"message":"no such model"}}]'
  const events = toldBy(error(json), error('[API Error: fetch failed]'), error('Out of luck.'))
  expect(events.map(({ ask }) => ask?.text)).toEqual([
    'API error: 400 no such model',
    'API error: fetch failed',
    'API error: Out of luck.',
  ])
})

test('a conversation that is rewritten after a denial does not happen again', () => {
  const copies = [
    context(at(20, 1)),
    touched,
    { timestamp: at(20, 31), type: 'gemini', content: [{ text: 'Hello.' }], tokens: null },
    touched,
    user('An old prompt', at(20, 32)),
    touched,
    { $set: { messages: [], lastUpdated: at(20) } },
  ]
  const events = toldBy(cancelled(at(20)), touched, ...copies, user('A new prompt', at(25)))
  expect(events.map(({ kind, at: when }) => `${kind} ${when}`)).toEqual([
    'stuck 20000',
    'unstuck 25000',
  ])
})

test('a prompt counts even if the end of the copies was not seen', () => {
  const events = toldBy(context(at(20)), user('An old one', at(20, 5)), user('A new one', at(25)))
  expect(events).toMatchObject([{ kind: 'unstuck', at: 25_000 }])
})

test.each([
  null,
  7,
  [],
  {},
  { type: 'user' },
  { type: 'user', timestamp: 'never', content: 'x' },
  { type: 'info', timestamp: at(1), content: 'Something else.' },
  { $set: 7 },
])('%j claims nothing', (record) => {
  expect(toldBy(record)).toEqual([])
})
