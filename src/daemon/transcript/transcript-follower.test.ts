import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { TranscriptFollower } from './transcript-follower.ts'

/** On a busy machine, other processes and kernel notifications take their time. */
const PATIENT_MS = 15_000

let world: TestHerd
let follower: TranscriptFollower
beforeEach(() => {
  world = createTestHerd()
  follower = new TranscriptFollower(world.herd, world.ingest, world.log)
  world.herd.onChange(({ updated }) => {
    for (const session of updated) follower.follow(session)
  })
})
afterEach(() => {
  follower[Symbol.dispose]()
  world[Symbol.dispose]()
})

const transcriptOf = (session: string) => join(world.dir, 'projects', session, `${session}.jsonl`)

/** Resolves when its transcript is followed. */
async function startWork(
  session: string,
  hook: object = { hook_event_name: 'UserPromptSubmit' },
): Promise<void> {
  const payload = { session_id: session, transcript_path: transcriptOf(session), ...hook }
  world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now() - 1_000, payload }, 'live')
}

let lastWrite = 0

/** No two writes in one millisecond: neither would be the later one. */
function write(session: string, ...lines: object[]): void {
  mkdirSync(dirname(transcriptOf(session)), { recursive: true })
  lastWrite = Math.max(Date.now(), lastWrite + 1)
  const timestamp = new Date(lastWrite).toISOString()
  const text = lines.map((line) => `${JSON.stringify({ ...line, timestamp })}\n`)
  appendFileSync(transcriptOf(session), text.join(''))
}

function writeStop(session: string): void {
  const content = [{ type: 'text', text: 'Done.' }]
  write(session, { type: 'assistant', message: { id: 'm', content, stop_reason: 'end_turn' } })
}

const bookkeeping = (lines: number): object[] =>
  Array.from({ length: lines }, () => ({ type: 'progress', data: 'x'.repeat(1_000) }))

test('a write to a transcript is noticed without a sweep', async () => {
  mkdirSync(dirname(transcriptOf('a')), { recursive: true })
  await startWork('a')
  writeStop('a')
  await vi.waitFor(() => expect(world.queue()).toEqual(['a']), PATIENT_MS)
})

test('the next quick sweep reads what was there before the transcript was followed', async () => {
  writeStop('a')
  await startWork('a')
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})

test('the last words are found, however much bookkeeping follows them', async () => {
  const said = [{ type: 'text', text: 'All done.' }]
  write('a', { type: 'assistant', message: { id: 'm', content: said, stop_reason: 'end_turn' } })
  write('a', { type: 'attachment', text: 'x'.repeat(70_000) })
  write('a', { type: 'system', subtype: 'turn_duration' })
  await startWork('a')
  await follower.sweepUnwatched()
  const [item] = world.herd.queue()
  expect(item?.verdict).toMatchObject({ ask: { text: 'All done.' } })
})

test('a directory that appears later is read by the quick sweep and then watched', async () => {
  await startWork('a')
  await startWork('b')
  await follower.sweepUnwatched()
  writeStop('a')
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
  mkdirSync(dirname(transcriptOf('b')))
  await follower.sweepUnwatched()
  writeStop('b')
  await vi.waitFor(() => expect(world.queue()).toEqual(['a', 'b']), PATIENT_MS)
})

test('a transcript that we looked for before it existed is read from its first line', async () => {
  await startWork('a')
  await follower.sweepUnwatched()
  writeStop('a')
  write('a', ...bookkeeping(90))
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})

test('catching up with one session also watches its directory', async () => {
  await startWork('a')
  const [session] = world.herd.sessions()
  writeStop('a')
  follower.catchUp(session!.key)
  expect(world.queue()).toEqual(['a'])
  write('a', { type: 'user', message: { content: [{ type: 'text', text: 'Go on.' }] } })
  await vi.waitFor(() => expect(world.queue()).toEqual([]), PATIENT_MS)
})

test('a write between the look at a new directory and its watch is not lost', async () => {
  await startWork('a')
  await follower.sweepUnwatched()
  mkdirSync(dirname(transcriptOf('a')), { recursive: true })
  const sweep = follower.sweepUnwatched()
  writeStop('a')
  await sweep
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})

test('if the end claims nothing, reading starts further back', async () => {
  writeStop('a')
  write('a', ...bookkeeping(300))
  await startWork('a')
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})

test('a permission granted before a long output is found answered', async () => {
  const tool_input = { command: 'make' }
  const tool = { type: 'tool_use', id: 't', name: 'Bash', input: tool_input }
  const result = { type: 'tool_result', tool_use_id: 't', content: 'x'.repeat(200_000) }
  await startWork('a', { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input })
  expect(world.queue()).toEqual(['a'])
  write(
    'a',
    { type: 'assistant', message: { id: 'm', content: [tool], stop_reason: 'tool_use' } },
    { type: 'user', message: { content: [result] } },
    { type: 'assistant', message: { id: 'n', content: [{ type: 'text', text: 'Next' }] } },
  )
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual([])
})

test('nothing from a replaced file counts as part of the new one', async () => {
  const text = { type: 'text', text: 'Words of the old file.' }
  write('a', { type: 'assistant', message: { id: 'm', content: [text] } })
  await startWork('a')
  await follower.sweep()
  rmSync(transcriptOf('a'))
  await follower.sweep()
  write('a', { type: 'system', subtype: 'turn_duration' })
  await follower.sweep()
  const [session] = world.herd.queue()
  expect(session?.verdict.ask.text).toBe('Finished its turn.')
})
