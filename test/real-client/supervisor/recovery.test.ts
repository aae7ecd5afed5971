import { expect } from 'vitest'
import type { AuditView, RuntimeView } from '../../../src/contract/supervisor.ts'
import { HARNESS, type RealRanch, ROLES, type Role } from '../support/real-ranch.ts'
import { waitToSee } from '../support/tests/composer.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

const FIRST = {
  claude: 'You tend the fences. Await triggers.',
  codex: 'You tend the horses. Await triggers.',
}

/** So that it is soon noticed; what a machine that stands still must not run out of is as it is. */
const SOON = {
  runtime: { reconcileMs: 1_250 },
  restart: { backoffMs: [250, 1_250, 3_750] },
  delivery: { recheckMs: 1_250 },
}

const test = ranchTest({ supervisor: SOON, channel: false, prompts: FIRST })

test('whose pane is closed is resumed in a new one, and gets its triggers there', async ({
  ranch,
}) => {
  await Promise.all(ROLES.map((role) => begin(ranch, role)))
  await Promise.all(
    ROLES.map((role) =>
      recovers(ranch, role, 'Errand 1:', ({ pane }) =>
        ranch.world.tmux.run('kill-pane', '-t', pane!.id),
      ),
    ),
  )
})

test('so is whose process is killed', async ({ ranch }) => {
  await Promise.all(
    ROLES.map((role) =>
      recovers(ranch, role, 'Errand 2:', ({ pid }) => process.kill(pid as number, 'SIGKILL')),
    ),
  )
})

/** Until there is something to go on with. */
async function begin(ranch: RealRanch, role: Role): Promise<void> {
  await ranch.start(role)
  await ranch.models[role].waitForRequest(FIRST[role])
  const { pane } = await ranch.runtime(role)
  await waitToSee(HARNESS[role], { name: role, pane: pane! }, 'empty')
}

/** The registry is not touched by anybody: it is the same runtime, in the same conversation. */
async function recovers(
  ranch: RealRanch,
  role: Role,
  errand: string,
  end: (runtime: RuntimeView) => unknown,
): Promise<void> {
  const before = await ranch.waitForRuntime(role, 'ready', ({ status }) => status === 'ready')
  await end(before)
  const after = await ranch.waitForRuntime(
    role,
    'ready again',
    ({ status, pid }) => status === 'ready' && pid !== before.pid,
  )
  expect(after).toMatchObject({ runtimeId: before.runtimeId, session: before.session })

  const { id } = await ranch.trigger(role, `${errand} go on.`)
  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', via: 'paste' })
  const { said = [] } = await ranch.models[role].waitForRequest(errand)
  expect(said.join('\n')).toContain(FIRST[role])
  expect(ranch.timesSaid(role, errand)).toBe(1)
  const { lines } = await ranch.get<AuditView>(
    `/audit?runtime=${after.runtimeId}&kind=runtime_restarted`,
  )
  expect(lines[0]).toMatchObject({ detail: 'resume' })
}
