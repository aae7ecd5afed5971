import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DEFAULT_RULES } from '../../src/core/supervisor/defaults.ts'
import { randomFrom } from '../support/random.ts'
import { accountOf, type Told, wrongsIn } from '../support/supervisor/delivery-account.ts'
import { createRanch, type Ranch, scaled } from '../support/supervisor/ranch.ts'

const TRIALS = Number(process.env['TYPIST_TRIALS'] ?? 4)
const TYPISTS = Math.min(5, Math.ceil(TRIALS / 2))
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)
const TIMES_SHORTER = 10
const QUIET_MS = DEFAULT_RULES.delivery.quietMs / TIMES_SHORTER
/** From our look at the operator to our text, and from there to the Enter: a first key in between cannot be seen. */
const MOMENT_MS = { before: 500, after: 1_000 }

type Key = { at: number }
type Trial = Told & { line: string; keys: Key[] }

test(`${TRIALS} triggers beside somebody who types: nothing in the quiet window, no word lost, doubled or mixed up (seed ${seed})`, {
  timeout: 60_000 + (TRIALS / TYPISTS) * 20_000,
}, async () => {
  const random = randomFrom(seed)
  const turns = Array.from({ length: TYPISTS }, (_, n) => n)
  const found = await Promise.all(turns.map((n) => typistAt(n, random)))
  const trials = found.flatMap((one) => one.trials)
  const inTheMoment = found.flatMap((one) => one.inTheMoment)
  console.log(accountOf(trials))
  console.log(`keys that came in the very moment of our writing: ${inTheMoment.length}`)
  expect(found.flatMap((one) => one.wrongs)).toEqual([])
})

async function typistAt(turn: number, random: () => number) {
  await using ranch = await createRanch({ roles: ['worker'], supervisor: scaled(TIMES_SHORTER) })
  const { pane } = await ranch.start('worker')
  if (!pane) throw new Error('the worker has no pane')
  await ranch.world.operator.lookAt(pane)
  await ranch.world.operator.waitToSee(/^❯/m)
  const own = Math.floor(TRIALS / TYPISTS) + (turn < TRIALS % TYPISTS ? 1 : 0)
  const trials: Trial[] = []
  for (let n = 0; n < own; n++) trials.push(await trialOf(ranch, `${turn}-${n}`, random))
  const surprised = trials.filter((trial) => wasInTheMoment(ranch, trial))
  const others = trials.filter((trial) => !surprised.includes(trial))
  return {
    trials,
    inTheMoment: surprised,
    wrongs: [
      ...wrongsIn(ranch, ['worker'], others),
      ...others.flatMap((trial) => lineWrongs(ranch, trial)),
      ...others.flatMap((trial) => quietWrongs(ranch, trial)),
      ...trials.flatMap((trial) => doubled(ranch, trial)),
    ],
  }
}

/** Types a line in pieces, with pauses shorter than the quiet window, and sends a trigger at some time in it. */
async function trialOf(ranch: Ranch, name: string, random: () => number): Promise<Trial> {
  const { operator } = ranch.world
  const words = `Task ${name}: count the herd.`
  const pieces = [`line ${name}`, ...[' and', ' so', ' on', '.'].slice(0, 1 + random() * 4)]
  const keys: Key[] = []
  const typing = async () => {
    // Sometimes the trigger is first, and the first key comes when we write, or after.
    if (random() < 0.3) await delay(random() * QUIET_MS)
    for (const piece of pieces) {
      keys.push({ at: Date.now() })
      await operator.type(piece)
      await delay(random() * QUIET_MS * 0.6)
    }
    keys.push({ at: Date.now() })
    await operator.press('Enter')
  }
  const sending = async () => {
    await delay(random() * QUIET_MS)
    return ranch.trigger('worker', words)
  }
  const [{ id }] = await Promise.all([sending(), typing()])
  const trigger = await ranch.settled(id)
  await operator.waitToSee(/^❯\s*$/m)
  return { kind: 'typed beside', role: 'worker', words, trigger, line: pieces.join(''), keys }
}

/** The first key came after our look at the operator, and before we had pressed Enter. */
function wasInTheMoment(ranch: Ranch, { words, keys }: Trial): boolean {
  const [first] = keys
  if (!first) return false
  const { before, after } = MOMENT_MS
  return pastesOf(ranch, words).some((at) => first.at > at - before && first.at < at + after)
}

function lineWrongs(ranch: Ranch, { line }: Trial): string[] {
  const taken = ranch.submitted('worker').filter((text) => text.includes(line))
  return taken.length === 1 && taken[0] === line
    ? []
    : [`"${line}" was taken as ${taken.join(' | ')}`]
}

function quietWrongs(ranch: Ranch, { words, keys }: Trial): string[] {
  return pastesOf(ranch, words).flatMap((at) =>
    keys.some((key) => at > key.at && at - key.at < QUIET_MS)
      ? [`"${words}" was pasted in the quiet window`]
      : [],
  )
}

function doubled(ranch: Ranch, { words }: Trial): string[] {
  const taken = ranch.submitted('worker').filter((text) => text.includes(words))
  return taken.length > 1 ? [`"${words}" was taken ${taken.length} times`] : []
}

function pastesOf(ranch: Ranch, words: string): number[] {
  return ranch
    .log('worker')
    .flatMap(({ kind, text, at }) => (kind === 'pasted' && text?.includes(words) ? [at] : []))
}
