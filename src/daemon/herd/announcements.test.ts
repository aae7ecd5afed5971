import { setImmediate as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Entry } from '../../core/session/state.ts'
import { Announcements, noNews } from './announcements.ts'

let world: TestHerd
beforeAll(() => {
  world = createTestHerd()
  world.store.db.exec('PRAGMA synchronous = OFF')
})
afterAll(() => world[Symbol.dispose]())

type Step = () => void

const session = fc.constantFrom('a', 'b', 'c')
const harness = 'claude-code'
const STOPPED = { kind: 'stuck', reason: 'stopped' } as const
const WORKS = { kind: 'unstuck' } as const

/** One of every kind of step that stores an entry. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(session, fc.constantFrom('Stop', 'UserPromptSubmit', 'SessionEnd'))
    .map(([session_id, hook_event_name]) => () => {
      world.ingest.hook({ session_id, hook_event_name, prompt: 'go on' }, 'live')
    }),
  fc
    .tuple(session, fc.constantFrom('status', 'transcript'), fc.constantFrom(STOPPED, WORKS))
    .map(([id, source, claim]) => () => {
      const about = { v: 1, harness, session: id, source, at: Date.now() } as const
      world.ingest.own({ ...about, ...claim }, 'tailed')
    }),
  fc.tuple(session, fc.constantFrom('alive', 'suspended', 'gone')).map(([id, state]) => () => {
    const at = world.herd.clock.now()
    world.herd.observe(sessionKey(harness, id), { state, at, detail: '' })
  }),
  session.map((id) => () => world.herd.skip(sessionKey(harness, id), { cooldownMs: 1_000 })),
)
const steps = fc.array(step, { minLength: 1, maxLength: 3 })
/** Steps without a pause, in one transaction or in several. */
const burst = fc.tuple(fc.boolean(), steps).map(([isBatch, all]) => () => {
  if (isBatch) world.herd.atOnce(() => run(all))
  else run(all)
})
const answers = fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 6 })

function run(all: readonly Step[]): void {
  for (const one of all) one()
}

function logAfter(seq: number): Entry[] {
  const rows = world.store.db.prepare('SELECT entry FROM events WHERE seq > ? ORDER BY seq')
  return rows.all(seq).map(({ entry }) => JSON.parse(String(entry)))
}

// fast-check prints the seed and the smallest counterexample when it fails.
test('every listener gets all entries in the order of the log, whatever others answer', async () => {
  const bursts = fc.array(burst, { minLength: 1, maxLength: 6 })
  const check = async (all: Step[], first: Step[][], second: Step[][]) => {
    const { herd, store } = world
    const begin = store.lastSeq
    const heard: Entry[][] = []
    const listener = () => {
      const own: Entry[] = []
      heard.push(own)
      return ({ entries }: { entries: Entry[] }) => void own.push(...entries)
    }
    const answering = (left: Step[][], hear = listener()) =>
      herd.answerChange((news) => {
        hear(news)
        run(left.shift() ?? [])
      })
    const stops = [
      herd.onChange(listener()),
      answering([...first]),
      herd.onChange(({ updated }) => {
        const latest = new Map(updated.map((one) => [one.key, one]))
        for (const [key, one] of latest) expect(herd.session(key)).toBe(one)
      }),
      answering([...second]),
      herd.onChange(listener()),
    ]
    for (const one of all) {
      one()
      await pause()
    }
    for (const stop of stops) stop()
    const log = logAfter(begin)
    for (const own of heard) expect(JSON.parse(JSON.stringify(own))).toEqual(log)
  }
  await fc.assert(fc.asyncProperty(bursts, answers, answers, check))
  expect(logAfter(0).length).toBeGreaterThan(100)
})

test('a listener can store nothing, and a failing one does not keep the news from others', async () => {
  const failed: unknown[] = []
  using announcements = new Announcements((error) => failed.push(error))
  const heard: string[] = []
  announcements.answer(() => void heard.push(`answer ${announcements.isInforming}`))
  announcements.listen(() => {
    throw new Error('no')
  })
  announcements.listen(() => void heard.push(`listener ${announcements.isInforming}`))
  announcements.add(noNews())
  expect(heard).toEqual([])
  await Promise.resolve()
  expect(heard).toEqual(['listener true', 'answer false'])
  expect(failed).toEqual([new Error('no')])
})
