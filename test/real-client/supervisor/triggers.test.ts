import { join } from 'node:path'
import { expect } from 'vitest'
import type { TriggerView } from '../../../src/contract/supervisor.ts'
import { startTmuxServer, TMUX } from '../../support/tmux-server.ts'
import { waitFor } from '../../support/wait-for.ts'
import { say } from '../support/model/reply.ts'
import { type RealRanch, ROLES, type Role } from '../support/real-ranch.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

/** `REAL_TRIGGERS=100` is the full size: it takes some minutes, and says how long deliveries took. */
const TRIGGERS = Number(process.env['REAL_TRIGGERS'] ?? 10)
const LONG = 'Count every single one of them, and write down how they are. '.repeat(55)

/** What a composer, a shell or tmux could take for something else than words. */
const WORDS = [
  'feed the horses.',
  `say "it's done" to $HOME; $(reboot) \`now\` && #{pane_id} %3 \\n`,
  'Zäune, 馬 und 🐎 zählen … ✓',
  'ask @foreman about /north and #7, then !stop',
  `${LONG}That is all.`,
]

const test = ranchTest()

test('triggers reach both, with proof, once, and nobody else', {
  timeout: TRIGGERS * 60_000,
}, async ({ ranch }) => {
  for (const role of ROLES) await ranch.start(role, 'ready')
  const triggers: TriggerView[] = []
  for (let n = 0; n < TRIGGERS; n++) {
    const role = roleOf(n)
    // The next one for this role meets it at work.
    const isLong = n % 10 > 7
    ranch.models[role].plan(errand(n), isLong ? say(LONG, { wordMs: 3 }) : say('Done.'))
    const { id } = await ranch.trigger(role, `${errand(n)} ${WORDS[n % WORDS.length]}`)
    const trigger = await ranch.settled(id)
    triggers.push(trigger)
    if (trigger.state !== 'delivered') console.error(await ranch.describe())
  }

  const isProved = ({ state, ack }: TriggerView) =>
    state === 'delivered' && (ack?.kind === 'hook' || ack?.kind === 'transcript')
  expect(triggers.filter(isProved).length).toBeGreaterThanOrEqual(Math.ceil(TRIGGERS * 0.99))
  for (const [n, trigger] of triggers.entries()) {
    if (isProved(trigger)) await ranch.models[roleOf(n)].waitForRequest(errand(n))
  }
  for (const [n, { state }] of triggers.entries()) {
    const [own, other] = n % 2 === 0 ? ROLES : ROLES.toReversed()
    const times = ranch.timesSaid(own as Role, `${errand(n)} ${WORDS[n % WORDS.length]}`)
    expect({ n, times }).toEqual({ n, times: state === 'delivered' ? 1 : 0 })
    expect({ n, times: ranch.timesSaid(own as Role, errand(n)) }).toEqual({ n, times })
    expect({ n, strayed: ranch.timesSaid(other as Role, errand(n)) }).toEqual({ n, strayed: 0 })
  }
  expect(await errandsElsewhere(ranch)).toEqual([])
  if (process.env['REAL_TRIGGERS']) console.log(figuresOf(triggers))
})

test('tmux attach shows every agent, each in a window of its own', async ({ ranch }) => {
  const { world } = ranch
  for (const role of ROLES) await ranch.waitForRuntime(role, 'ready', isReady)
  const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${world.tmux.socket} attach-session -t agents_ranch`
  const terminal = await startTmuxServer({
    socket: join(world.dir, 't9'),
    env: world.env,
    session: 'watcher',
    shellCommand: attach,
    cwd: world.home,
  })
  try {
    for (const role of ROLES) {
      await world.tmux.run('select-window', '-t', `agents_ranch:${role}`)
      const composer = role === 'claude' ? /manual mode on/ : /stub-model/
      await waitFor(() => terminal.run('capture-pane', '-p', '-t', 'watcher:'), {
        what: `the watcher to see ${role}`,
        until: (seen) => composer.test(seen),
      })
    }
  } finally {
    await terminal.stop()
  }
})

function roleOf(n: number): Role {
  return ROLES[n % 2] as Role
}

function errand(n: number): string {
  return `Errand ${n}:`
}

function isReady({ status }: { status: string }): boolean {
  return status === 'ready'
}

/** In all panes but those of the two. */
async function errandsElsewhere({ world, runtime }: RealRanch): Promise<string[]> {
  const own = await Promise.all(ROLES.map(async (role) => (await runtime(role)).pane?.id))
  const panes = (await world.tmux.run('list-panes', '-a', '-F', '#{pane_id}')).split('\n')
  const screens = panes
    .filter((id) => !own.includes(id))
    .map((id) => world.tmux.run('capture-pane', '-p', '-S', '-', '-t', id))
  return (await Promise.all(screens)).flatMap((screen) => screen.match(/.*Errand \d+:.*/g) ?? [])
}

function figuresOf(triggers: TriggerView[]): string {
  const delivered = triggers.filter(({ state }) => state === 'delivered')
  const acks = Map.groupBy(delivered, ({ ack, via }) => `${via} proved by ${ack?.kind}`)
  const kinds = [...acks].map(([kind, of]) => `${of.length} ${kind}`)
  const again = delivered.filter(({ pastes, enters }) => pastes > 1 || enters > 1).length
  const lines = ROLES.map((role) => {
    const own = delivered.filter(({ agent }) => agent === `ranch/${role}`)
    const [asked, typed] = [spread(own, 'createdAt'), spread(own, 'claimedAt')]
    return `${role}: proved ${asked} after it was asked for, ${typed} after the composer was free`
  })
  return [
    `${triggers.length} triggers, ${delivered.length} delivered (${kinds.join(', ')}; ${again} with a retry)`,
    `all: proved ${spread(delivered, 'createdAt')} after it was asked for`,
    ...lines,
  ].join('\n')
}

function spread(triggers: TriggerView[], since: 'createdAt' | 'claimedAt'): string {
  const took = triggers
    .map((trigger) => (trigger.settledAt ?? 0) - (trigger[since] ?? 0))
    .sort((a, b) => a - b)
  const at = (share: number) => took[Math.ceil(took.length * share) - 1]
  return `${at(0.5)} ms (p95 ${at(0.95)} ms, longest ${at(1)} ms)`
}
