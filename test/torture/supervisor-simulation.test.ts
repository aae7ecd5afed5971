import { expect, test } from 'vitest'
import { noSafeguardYet, type Safeguard, safeguardStep } from '../../src/core/bridge/safeguard.ts'
import { randomFrom } from '../support/random.ts'
import { type ModelRun, type RunTally, runModel } from '../support/supervisor/model-run.ts'

/** The full size is 20,000 seeds; that takes about a minute. */
const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 300)
const FIRST = Number(process.env['SIMULATION_FIRST_SEED'] ?? Date.now() % 1e6)
const STEPS = 500

test(`registry, restarts and deliveries hold in ${SEEDS} runs of ${STEPS} steps (seeds from ${FIRST})`, {
  timeout: 600_000,
}, () => {
  const tally: RunTally = {}
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    for (const [what, times] of Object.entries(run(seed))) tally[what] = (tally[what] ?? 0) + times
  }
  // Otherwise the runs were too peaceful to say anything.
  for (const what of ['by paste', 'by channel', 'by resume', 'fallback spawn', 'stop', 'killed']) {
    expect(tally[what] ?? 0, what).toBeGreaterThan(0)
  }
})

test(`a thread is blocked by exactly 20 turns or 3 findings in ${SEEDS} conversations (seeds from ${FIRST})`, {
  timeout: 600_000,
}, () => {
  let blocks = 0
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    if (converse(seed)) blocks++
  }
  expect(blocks).toBeGreaterThan(SEEDS / 10)
})

function run(seed: number): RunTally {
  const random = randomFrom(~seed)
  const one = <T>(...some: readonly T[]): T => some[Math.floor(random() * some.length)] as T
  const told: ModelRun = {
    seed,
    steps: STEPS,
    roles: one(1, 2, 3),
    hasChannel: random() < 0.1,
    faults: {
      eatsPaste: one(0, 0, 0.3, 0.9),
      eatsEnter: one(0, 0, 0.4, 0.9),
      lagMs: one(0, 0, 0, 400, 5_000),
      losesHook: one(0, 0.5, 1),
      recordsMs: one(0, 2_000, 60_000, undefined),
      hangsAtStart: one(0, 0.1),
      diesAtStart: one(0, 0.2),
      tmuxFails: one(0, 0.08),
    },
    troubles: {
      key: one(0, 0.02, 0.1),
      crash: one(0, 0.005, 0.02),
      exit: one(0, 0.003),
      paneClosed: one(0, 0.003),
      tmuxAway: one(0, 0.01),
      killed: one(0, 0.03),
      stop: one(0, 0.002),
      start: 0.03,
      mood: 0.12,
      trigger: 0.02,
    },
  }
  try {
    return runModel(told)
  } catch (error) {
    throw new Error(`seed ${seed}: ${JSON.stringify(told)}`, { cause: error })
  }
}

/** Counted apart from the safeguard's own count. Whether it came to a block. */
function converse(seed: number): boolean {
  const random = randomFrom(seed)
  const progressShare = random() * 0.2
  const findings = 1 + Math.floor(random() * 40)
  const told = new Map<string, number>()
  let idle = 0
  let safeguard: Safeguard = noSafeguardYet
  for (let step = 0; step < STEPS; step++) {
    const progress = random() < progressShare ? `step ${step}` : undefined
    const found = random() < 0.2 ? [`finding ${Math.floor(random() * findings)}`] : []
    idle = progress === undefined ? idle + 1 : 0
    for (const one of found) told.set(one, (told.get(one) ?? 0) + 1)
    const next = safeguardStep(safeguard, { by: 'agent', progress, findings: found })
    const isDue = idle >= 20 || found.some((one) => (told.get(one) ?? 0) >= 3)
    if ((next.circle !== undefined) !== isDue) {
      throw new Error(`seed ${seed}: ${JSON.stringify(next.circle)} after ${idle} turns`)
    }
    if (next.circle) return true
    safeguard = next.safeguard
  }
  return false
}
