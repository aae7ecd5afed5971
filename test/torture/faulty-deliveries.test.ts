import { expect, test } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { accountOf, type Told, wrongsIn } from '../support/supervisor/delivery-account.ts'
import { type Bystander, bystandersIn, MISCHIEF } from '../support/supervisor/mischief.ts'
import { createRanch, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const DELIVERIES = Number(process.env['FAULTY_DELIVERIES'] ?? 26)
const KINDS = process.env['FAULTY_KINDS']?.split(',') ?? Object.keys(MISCHIEF)
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)
const ROLES = ['rider', 'cook', 'smith', 'scout', 'drover', 'hand']
const TIMES_SHORTER = 20

test(`${DELIVERIES} deliveries under faults: none doubled, none elsewhere, none vouched for that was not taken (seed ${seed})`, {
  timeout: 30_000 + DELIVERIES * 5_000,
}, async () => {
  const settings = scaled(TIMES_SHORTER)
  const delivery = { ...(settings['delivery'] as object), busyLimitMs: 8_000 }
  await using ranch = await createRanch({
    roles: ROLES,
    supervisor: { ...settings, delivery },
  })
  const { world } = ranch
  const serverPid = world.tmux.pid
  const bystanders = bystandersIn(ranch)
  const random = randomFrom(seed)
  const order = Array.from({ length: DELIVERIES }, (_, n) => KINDS[n % KINDS.length] ?? 'none')
  shuffle(order, random)

  const misdirected: string[] = []
  const told = (
    await Promise.all(
      ROLES.map((role) => deliverAll(ranch, role, order, bystanders, misdirected, random)),
    )
  ).flat()

  console.log(accountOf(told))
  // One that comes up in the very moment between look and key cannot be told from none.
  const inTheMoment = misdirected.filter((kind) => kind === 'dialog comes up')
  console.log(`typed onto a dialog that had just come up: ${inTheMoment.length}`)
  expect(misdirected.filter((kind) => kind !== 'dialog comes up')).toEqual([])
  expect(wrongsIn(ranch, ROLES, told)).toEqual([])
  expect(bystanders.all.filter((one) => received(one) !== '').map(received)).toEqual([])
  expect(Number(await world.tmux.run('display-message', '-p', '#{pid}'))).toBe(serverPid)
})

/** Takes from the order until it is empty: one after the other, beside those of the other roles. */
async function deliverAll(
  ranch: Ranch,
  role: string,
  order: string[],
  bystanders: ReturnType<typeof bystandersIn>,
  misdirected: string[],
  random: () => number,
): Promise<Told[]> {
  const told: Told[] = []
  for (let kind = order.pop(); kind !== undefined; kind = order.pop()) {
    const { pane, window } = await seatBystander(ranch, role, bystanders.make())
    const words: string[] = []
    const send = () => {
      const mine = `Task ${order.length} of ${role}: ${kind}, ${random()}.`
      words.push(mine)
      return ranch.trigger(role, mine)
    }
    const delivery = { ranch, role, pane, random, send, newBystander: bystanders.make }
    const before = ontoDialogs(ranch, role)
    const sent = await MISCHIEF[kind]?.(delivery)
    for (const [n, { id }] of (sent ?? []).entries()) {
      told.push({ kind, role, words: words[n] ?? '', trigger: await ranch.settled(id) })
    }
    for (let more = ontoDialogs(ranch, role) - before; more > 0; more--) misdirected.push(kind)
    ranch.setFaults(role, {})
    await keepOnly(ranch, role, window)
  }
  return told
}

/** What it got while it showed a dialog or a picker. */
function ontoDialogs(ranch: Ranch, role: string): number {
  return ranch.log(role).filter(({ kind }) => kind === 'misdirected').length
}

/** Beside the agent in its window, once that lives: what was done to it before may not be mended yet. */
async function seatBystander(
  ranch: Ranch,
  role: string,
  bystander: Bystander,
): Promise<{ pane: string; window: string }> {
  const { tmux } = ranch.world
  const print = ['-P', '-F', '#{pane_id} #{window_id}']
  const seat = async () => {
    const { id: pane = 'none', pid } = (await ranch.start(role)).pane ?? {}
    const inPane = await tmux.run('display-message', '-p', '-t', pane, '#{pane_pid}')
    if (Number(inPane) !== pid) throw new Error(`${role} is not in its pane any more`)
    const ids = await tmux.run('split-window', '-d', '-t', pane, ...print, bystander.shellCommand)
    const [beside = '', window = ''] = ids.split(' ')
    return { pane, beside, window }
  }
  const { pane, beside, window } = await waitFor(seat, { what: `${role} to be there` })
  await bystander.ready(tmux, beside)
  return { pane, window }
}

/** What was put beside the agent goes, as the operator would tidy up. */
async function keepOnly(ranch: Ranch, role: string, window: string): Promise<void> {
  const { tmux } = ranch.world
  const { pane } = await ranch.runtime(role)
  const { stdout } = await tmux.try('list-panes', '-t', window, '-F', '#{pane_id}')
  const others = stdout.split('\n').filter((id) => id !== '' && id !== pane?.id)
  for (const id of others) await tmux.try('kill-pane', '-t', id)
}

function received(bystander: Bystander): string {
  try {
    return bystander.received()
  } catch {
    // It was closed before it began to listen.
    return ''
  }
}

function shuffle(all: unknown[], random: () => number): void {
  for (let n = all.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1))
    ;[all[n], all[other]] = [all[other], all[n]]
  }
}
