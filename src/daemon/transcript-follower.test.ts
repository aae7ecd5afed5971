import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../test/support/test-herd.ts'
import { TranscriptFollower } from './transcript-follower.ts'

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

function startWork(session: string): void {
  const payload = {
    session_id: session,
    hook_event_name: 'UserPromptSubmit',
    transcript_path: transcriptOf(session),
  }
  world.ingest.hook(
    { v: 1, harness: 'claude-code', at: Date.now() - 1_000, payload },
    { recovered: false },
  )
}

function writeStop(session: string): void {
  const line = {
    type: 'assistant',
    message: { id: 'm', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
    timestamp: new Date().toISOString(),
  }
  mkdirSync(dirname(transcriptOf(session)), { recursive: true })
  appendFileSync(transcriptOf(session), `${JSON.stringify(line)}\n`)
}

test('what is written to a transcript is noticed without a sweep', async () => {
  mkdirSync(dirname(transcriptOf('a')), { recursive: true })
  startWork('a')
  writeStop('a')
  await vi.waitFor(() => expect(world.queue()).toEqual(['a']))
})

test('what was there before the transcript was followed is read by the next quick sweep', async () => {
  writeStop('a')
  startWork('a')
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})

test('a directory that comes later is read by the quick sweep and then watched', async () => {
  startWork('a')
  startWork('b')
  await follower.sweepUnwatched()
  writeStop('a')
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
  mkdirSync(dirname(transcriptOf('b')))
  await follower.sweepUnwatched()
  writeStop('b')
  await vi.waitFor(() => expect(world.queue()).toEqual(['a', 'b']))
})

test('what is written between the look at a new directory and its watch is not lost', async () => {
  startWork('a')
  await follower.sweepUnwatched()
  mkdirSync(dirname(transcriptOf('a')), { recursive: true })
  const sweep = follower.sweepUnwatched()
  writeStop('a')
  await sweep
  await follower.sweepUnwatched()
  expect(world.queue()).toEqual(['a'])
})
