import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { QueueItem } from '../../contract/responses.ts'
import { AGENTS, type AgentName, KEYS } from './herd.ts'
import type { Seat } from './operator-terminal.ts'
import type { Sandbox } from './sandbox.ts'
import { waitUntil } from './wait-until.ts'

export type Visit = {
  sandbox: Sandbox
  seat: Seat
  /** The pane of each agent. */
  panes: Record<AgentName, string>
  prefix: string
  steer: string
  signal: AbortSignal
}

export type Step = { what: string; take: (visit: Visit) => Promise<void> }

/** One person's tour through the herd. Each step waits for what it asserts. */
export const TOUR: Step[] = [
  {
    what: 'four agents are seen at work, each in its pane',
    take: async (visit) => {
      await waitUntil(() => workingPanes(visit), {
        ...seen(visit, 'four working sessions, each in its own pane'),
        until: (panes) => sameMembers(panes, Object.values(visit.panes)),
      })
    },
  },
  {
    what: 'they get stuck one after the other, and queue up in that order',
    take: async (visit) => {
      for (const [index, { name }] of AGENTS.entries()) {
        letAsk(visit, name)
        await queueIs(
          visit,
          AGENTS.slice(0, index + 1).map((agent) => agent.name),
        )
      }
    },
  },
  { what: 'the status line counts them', take: (visit) => sees(visit, /⚠ 4 stuck/) },
  {
    what: 'Next lands on the oldest one',
    take: async (visit) => {
      await press(visit, KEYS.next)
      await landsOn(visit, 'api')
    },
  },
  {
    what: 'answered there, it leaves the queue and works on',
    take: async (visit) => {
      await sees(visit, /Do you want to proceed\?/)
      await visit.seat.press('y')
      await queueIs(visit, ['web', 'docs', 'infra'])
      await sees(visit, /⚠ 3 stuck/)
    },
  },
  {
    what: 'Next goes on to the following one',
    take: async (visit) => {
      await press(visit, KEYS.next)
      await landsOn(visit, 'web')
    },
  },
  {
    what: 'Skip puts it last and lands on the one after it',
    take: async (visit) => {
      await press(visit, KEYS.skip)
      await landsOn(visit, 'docs')
      await queueIs(visit, ['docs', 'infra', 'web'])
      await sees(visit, /⚠ 2 stuck/)
    },
  },
  {
    what: 'a finished turn is answered with a sentence',
    take: async (visit) => {
      await sees(visit, /waits for your answer/)
      await visit.seat.type('yes, do that')
      await visit.seat.press('Enter')
      await queueIs(visit, ['infra', 'web'])
    },
  },
  {
    what: 'the popup lists what waits, and Enter lands on the first',
    take: async (visit) => {
      await press(visit, KEYS.popup)
      await sees(visit, /terraform apply[\s\S]*Below which width/)
      await visit.seat.press('Enter')
      await popupCloses(visit)
      await landsOn(visit, 'infra')
      await sees(visit, /Do you want to proceed\?/)
      await visit.seat.press('y')
      await queueIs(visit, ['web'])
    },
  },
  {
    what: 'the popup also picks the skipped one, by its number',
    take: async (visit) => {
      await press(visit, KEYS.popup)
      await sees(visit, /back in .*Below which width/)
      await visit.seat.press('1')
      await popupCloses(visit)
      await landsOn(visit, 'web')
      await sees(visit, /640 px/)
    },
  },
  {
    what: 'with the last answer the queue is empty',
    take: async (visit) => {
      await visit.seat.press('1')
      await queueIs(visit, [])
      await waitUntil(() => visit.seat.screen(), {
        ...seen(visit, 'the count to leave the status line'),
        until: (screen) => !/stuck/.test(screen),
      })
    },
  },
  {
    what: 'Next then says that nothing is stuck, and stays',
    take: async (visit) => {
      await press(visit, KEYS.next)
      await sees(visit, /nothing is stuck/)
      await landsOn(visit, 'web')
    },
  },
]

function press({ seat, prefix }: Visit, key: string): Promise<void> {
  return seat.press(prefix, key)
}

/** The file name that a steered agent waits for: its own name, and how often it has asked before. */
function letAsk({ steer }: Visit, name: AgentName): void {
  writeFileSync(join(steer, `${name}-0`), '')
}

async function sees(visit: Visit, pattern: RegExp): Promise<void> {
  await waitUntil(() => visit.seat.screen(), {
    ...seen(visit, `the screen to show ${pattern}`),
    until: (screen) => pattern.test(screen),
  })
}

/** Keys pressed before that would still go to the popup. */
async function popupCloses(visit: Visit): Promise<void> {
  await waitUntil(() => visit.seat.screen(), {
    ...seen(visit, 'the popup to close'),
    until: (screen) => !screen.includes('┌─'),
  })
}

async function landsOn(visit: Visit, name: AgentName): Promise<void> {
  await waitUntil(() => visit.seat.pane(), {
    ...seen(visit, `the client to show ${name} (${visit.panes[name]})`),
    until: (pane) => pane === visit.panes[name],
  })
}

async function queueIs(visit: Visit, names: AgentName[]): Promise<void> {
  const observe = async () => (await visit.sandbox.client.queue()).items.map(nameOf)
  await waitUntil(observe, {
    ...seen(visit, `the queue to be [${names.join(', ')}]`),
    until: (queue) => queue.join() === names.join(),
  })
}

async function workingPanes({ sandbox }: Visit): Promise<string[]> {
  const { sessions } = await sandbox.client.sessions()
  return sessions.filter(({ state }) => state === 'working').map(({ pane }) => pane?.id ?? '')
}

function nameOf(item: QueueItem): string {
  return item.project ?? item.session
}

function sameMembers(some: string[], others: string[]): boolean {
  return some.toSorted().join() === others.toSorted().join()
}

function seen({ signal }: Visit, what: string): { what: string; signal: AbortSignal } {
  return { what, signal }
}
