import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ModelRun,
  type RunTally,
  runModel,
} from '../../../../test/support/supervisor/model-run.ts'

/**
 * `runModel` throws as soon as a prompt is taken twice, or reported delivered without having been taken; when
 * something is written onto a dialog, work, or somebody else's text, or within 20 seconds of a key; when a claim
 * found after a crash is typed again; when an agent is ended while it works or somebody types there; and when a
 * trigger never ends.
 */
const share = (most: number) =>
  fc.oneof(fc.constant(0), fc.double({ min: 0, max: most, noNaN: true }))

const run: fc.Arbitrary<ModelRun> = fc.record({
  seed: fc.integer(),
  steps: fc.constantFrom(200, 400),
  roles: fc.constant(1),
  hasChannel: fc.constantFrom(false, false, false, true),
  faults: fc.record({
    eatsPaste: share(1),
    eatsEnter: share(1),
    lagMs: fc.constantFrom(0, 0, 200, 1_000, 5_000),
    losesHook: fc.constantFrom(0, 0.5, 1, 1),
    recordsMs: fc.constantFrom(0, 2_000, 60_000, undefined),
    hangsAtStart: share(0.2),
    diesAtStart: share(0.5),
    tmuxFails: share(0.2),
  }),
  troubles: fc.record({
    key: share(0.15),
    crash: fc.oneof(share(0.03), fc.constant(0.2)),
    exit: share(0.01),
    paneClosed: share(0.01),
    tmuxAway: share(0.03),
    killed: share(0.1),
    stop: share(0.005),
    start: fc.constant(0.05),
    mood: fc.double({ min: 0.05, max: 0.3, noNaN: true }),
    trigger: fc.constant(0.05),
  }),
})

test('no prompt is taken twice or typed where it may not be, and every trigger ends', () => {
  const tally: RunTally = {}
  fc.assert(
    fc.property(run, (told) => {
      for (const [what, times] of Object.entries(runModel(told))) {
        tally[what] = (tally[what] ?? 0) + times
      }
    }),
    { numRuns: 600 },
  )
  for (const what of ['by paste', 'by channel', 'by resume', 'by spawn', 'stop', 'killed']) {
    expect(tally[what] ?? 0, what).toBeGreaterThan(0)
  }
})

test('what a channel received while the supervisor was killed is never taken twice', () => {
  const honest = { eatsPaste: 0, eatsEnter: 0, lagMs: 0, losesHook: 1, tmuxFails: 0.1 }
  const calm = { crash: 0, exit: 0, paneClosed: 0, tmuxAway: 0, stop: 0 }
  let delivered = 0
  for (let seed = 0; seed < 200; seed++) {
    const tally = runModel({
      seed,
      steps: 400,
      roles: 1,
      hasChannel: true,
      faults: { ...honest, recordsMs: seed % 2 === 0 ? 0 : 2_000, hangsAtStart: 0, diesAtStart: 0 },
      troubles: { ...calm, key: 0.15, killed: 0.2, start: 0.05, mood: 0.2, trigger: 0.05 },
    })
    delivered += tally['by channel'] ?? 0
  }
  expect(delivered).toBeGreaterThan(500)
})

test('if nothing goes wrong, prompts are delivered by keyboard, except some that meet a dialog', () => {
  const peace = { eatsPaste: 0, eatsEnter: 0, lagMs: 0, losesHook: 0, recordsMs: 0, tmuxFails: 0 }
  const quiet = { key: 0, crash: 0, exit: 0, paneClosed: 0, tmuxAway: 0, killed: 0, stop: 0 }
  let [typed, settled] = [0, 0]
  for (let seed = 0; seed < 100; seed++) {
    const tally = runModel({
      seed,
      steps: 300,
      roles: 1,
      faults: { ...peace, hangsAtStart: 0, diesAtStart: 0 },
      troubles: { ...quiet, start: 0, mood: 0.2, trigger: 0.01 },
    })
    typed += tally['by paste'] ?? 0
    settled += tally['settle'] ?? 0
  }
  expect(typed).toBeGreaterThan(100)
  expect(typed / settled).toBeGreaterThan(0.9)
})
