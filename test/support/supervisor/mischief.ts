import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TriggerView } from '../../../src/contract/supervisor.ts'
import { type ByteRecorder, byteRecorder } from '../tmux/byte-recorder.ts'
import { waitFor } from '../wait-for.ts'
import type { Faults, Ranch } from './ranch.ts'

/** One delivery and what goes wrong with it. */
type Delivery = {
  ranch: Ranch
  role: string
  /** The pane of its runtime when it began. */
  pane: string
  random: () => number
  /** Sends a trigger with its own text. */
  send(): Promise<TriggerView>
  /** A pane that must never get a byte. */
  newBystander(): Bystander
}

/** Somebody who is not the target. */
export type Bystander = ByteRecorder & { name: string }

/** Does its mischief, sends one or more triggers at its own time, and stops when it has had enough. */
export type Mischief = (delivery: Delivery) => Promise<TriggerView[]>

export const MISCHIEF: Record<string, Mischief> = {
  none: async ({ send }) => [await send()],
  'two at once': ({ send }) => Promise.all([send(), send()]),
  'enter eaten': (delivery) => withFaults(delivery, { eatEnter: upTo(delivery, 3) }),
  'paste eaten': (delivery) => withFaults(delivery, { eatPaste: upTo(delivery, 3) }),
  slow: (delivery) => withFaults(delivery, { slowMs: 50 + delivery.random() * 700 }),
  'hooks lost': (delivery) => withFaults(delivery, { mutesHooks: true }),
  'works long': (delivery) => withFaults(delivery, { workMs: 2_000 * delivery.random() }),
  'dies on paste': (delivery) => withFaults(delivery, { dieOn: 'paste' }),
  'dies on enter': (delivery) => withFaults(delivery, { dieOn: 'enter' }),
  'killed and never starts': async (delivery) => {
    const { ranch, role } = delivery
    ranch.setFaults(role, { dieOn: 'start' })
    const sent = await MISCHIEF['process killed']?.(delivery)
    return settledMeanwhile(delivery, sent ?? [])
  },
  'dialog for a while': (delivery) => showing(delivery, 'dialog', 3_000),
  'picker for a while': (delivery) => showing(delivery, 'picker', 3_000),
  'dialog comes up': async (delivery) => {
    const { ranch, role, random } = delivery
    const sent = await atSomeTime(delivery, async () => ranch.setFaults(role, { shows: 'dialog' }))
    await delay(random() * 3_000)
    ranch.setFaults(role, {})
    return sent
  },
  'dialog for good': async (delivery) =>
    settledMeanwhile(delivery, await sentOnto(delivery, 'dialog')),
  'copy mode': (delivery) =>
    disturbing(delivery, {
      begin: ['copy-mode', '-t', delivery.pane],
      end: ['send-keys', '-t', delivery.pane, '-X', 'cancel'],
    }),
  synchronized: (delivery) =>
    disturbing(delivery, {
      begin: ['set-option', '-w', '-t', delivery.pane, 'synchronize-panes', 'on'],
      end: ['set-option', '-w', '-t', delivery.pane, 'synchronize-panes', 'off'],
    }),
  'input off': (delivery) =>
    disturbing(delivery, {
      begin: ['select-pane', '-d', '-t', delivery.pane],
      end: ['select-pane', '-e', '-t', delivery.pane],
    }),
  'process killed': (delivery) =>
    atSomeTime(delivery, async ({ ranch, role }) => {
      const { pid } = await ranch.runtime(role)
      if (pid !== null) killHard(pid)
    }),
  'pane killed': (delivery) =>
    atSomeTime(delivery, async ({ ranch, pane }) => {
      await ranch.world.tmux.try('kill-pane', '-t', pane)
    }),
  'pane respawned': (delivery) =>
    atSomeTime(delivery, async ({ ranch, pane, newBystander }) => {
      const { tmux } = ranch.world
      const bystander = newBystander()
      await tmux.try('respawn-pane', '-k', '-t', pane, bystander.shellCommand)
    }),
}

/** Records every byte, in the window of each role. */
export function bystandersIn(ranch: Ranch): { all: Bystander[]; make(): Bystander } {
  const all: Bystander[] = []
  const make = () => {
    const name = `bystander-${all.length}`
    const bystander = { ...byteRecorder(join(ranch.world.dir, name)), name }
    all.push(bystander)
    return bystander
  }
  return { all, make }
}

async function withFaults(delivery: Delivery, faults: Faults): Promise<TriggerView[]> {
  const { ranch, role, send } = delivery
  ranch.setFaults(role, faults)
  return [await send()]
}

/** Sends once that is on its screen. */
async function sentOnto(delivery: Delivery, shows: 'dialog' | 'picker'): Promise<TriggerView[]> {
  const { ranch, role, pane, send } = delivery
  ranch.setFaults(role, { shows })
  await waitFor(() => ranch.world.tmux.run('capture-pane', '-p', '-t', pane), {
    what: `a ${shows} in the pane of ${role}`,
    until: (screen) => /Do you want to proceed|\/compact/.test(screen),
  })
  return [await send()]
}

async function showing(
  delivery: Delivery,
  shows: 'dialog' | 'picker',
  mostMs: number,
): Promise<TriggerView[]> {
  const { ranch, role, random } = delivery
  const sent = await sentOnto(delivery, shows)
  await delay(random() * mostMs)
  ranch.setFaults(role, {})
  return sent
}

async function disturbing(
  delivery: Delivery,
  { begin, end }: { begin: string[]; end: string[] },
): Promise<TriggerView[]> {
  const { ranch, random } = delivery
  const { tmux } = ranch.world
  const sent = await atSomeTime(delivery, async () => {
    await tmux.try(...begin)
  })
  await delay(random() * 3_000)
  await tmux.try(...end)
  return sent
}

/** Sometimes before the trigger, usually during its delivery. */
async function atSomeTime(
  delivery: Delivery,
  act: (delivery: Delivery) => Promise<void>,
): Promise<TriggerView[]> {
  const { random, send } = delivery
  if (random() < 0.25) {
    await act(delivery)
    return [await send()]
  }
  const sent = [await send()]
  await delay(random() * 900)
  await act(delivery)
  return sent
}

/** Mischief that lasts until the trigger has ended, however it ends. */
async function settledMeanwhile({ ranch }: Delivery, sent: TriggerView[]): Promise<TriggerView[]> {
  for (const { id } of sent) await ranch.settled(id)
  return sent
}

function upTo({ random }: Delivery, most: number): number {
  return 1 + Math.floor(random() * most)
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The delivery was quicker.
  }
}
