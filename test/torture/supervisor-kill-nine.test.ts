import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { IN_HAND, type TriggerState } from '../../src/core/supervisor/trigger/trigger.ts'
import { isAlive } from '../support/processes.ts'
import { randomFrom } from '../support/random.ts'
import { accountOf, type Told, wrongsIn } from '../support/supervisor/delivery-account.ts'
import { createRanch, type Faults, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const KILLS = Number(process.env['KILLS'] ?? 4)
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)
const ROLES = ['rider', 'cook', 'smith', 'scout']

/** What an agent does while its prompts are on their way. */
const HABITS: Record<string, Faults> = {
  obedient: {},
  'eats an Enter': { eatEnter: 1 },
  'eats every Enter': { eatEnter: 3 },
  'eats a paste': { eatPaste: 1 },
  slow: { slowMs: 400 },
  'hooks lost': { mutesHooks: true },
  'dies on Enter': { dieOn: 'enter' },
}

test(`${KILLS} times kill -9 between claim and ack: nothing is doubled, and all has ended after the next start (seed ${seed})`, {
  timeout: 60_000 + KILLS * 15_000,
}, async () => {
  const random = randomFrom(seed)
  const settings = scaled(20)
  const delivery = { ...(settings['delivery'] as object), busyLimitMs: 30_000 }
  await using ranch = await createRanch({ roles: ROLES, supervisor: { ...settings, delivery } })
  const told: Told[] = []
  const broken: TriggerState[] = []
  for (let [round, kills] = [0, 0]; kills < KILLS; round++) {
    const sent = await Promise.all(ROLES.map((role) => send(ranch, role, round, random)))
    const pid = await ranch.world.daemonPid()
    // All may be over before we look: then there was nothing to break off in this round.
    const ids = sent.map(({ id }) => id)
    await waitFor(async () => statesInHand(ranch).length > 0 || (await areSettled(ranch, ids)), {
      what: 'one to be claimed',
    })
    await delay(random() * 1_200)
    process.kill(pid, 'SIGKILL')
    await waitFor(() => !isAlive(pid), { what: 'the daemon to be gone' })
    const inHand = statesInHand(ranch)
    broken.push(...inHand)
    kills += inHand.length > 0 ? 1 : 0
    await ranch.world.up()
    for (const { id, ...one } of sent) told.push({ ...one, trigger: await ranch.settled(id) })
  }
  console.log(accountOf(told))
  const states = Map.groupBy(broken, String)
  console.log(`broken off: ${[...states].map(([state, { length }]) => `${length} ${state}`)}`)
  expect(wrongsIn(ranch, ROLES, told)).toEqual([])
})

async function send(ranch: Ranch, role: string, round: number, random: () => number) {
  ranch.setFaults(role, {})
  await ranch.start(role)
  const names = Object.keys(HABITS)
  const kind = names[Math.floor(random() * names.length)] ?? 'obedient'
  ranch.setFaults(role, HABITS[kind] ?? {})
  const words = `Task ${round} of ${role}, ${random()}.`
  const { id } = await ranch.trigger(role, words)
  return { kind, role, words, id }
}

/** As they are on disk, whether a daemon runs or not. */
function statesInHand({ world }: Ranch): TriggerState[] {
  using db = new DatabaseSync(join(world.state, 'trailboss.db'), { readOnly: true })
  return db
    .prepare(`SELECT state FROM triggers WHERE state IN ('${IN_HAND.join("', '")}')`)
    .all()
    .map((row) => row['state'] as TriggerState)
}

async function areSettled(ranch: Ranch, ids: string[]): Promise<boolean> {
  const triggers = await Promise.all(ids.map((id) => ranch.triggerOf(id)))
  return triggers.every(({ settledAt }) => settledAt !== null)
}
