import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AuditView, TriggerView } from '../../../src/contract/supervisor.ts'
import type { World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { HARNESS, type RealRanch, type Role } from '../support/real-ranch.ts'
import { sightOf, waitToSee } from '../support/tests/composer.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

/** Some have Enter begin a new line: what is pasted stands in the composer, and Enter does not submit it. */
function haveEnterBeginALine({ home }: World): void {
  const keys = { enter: 'chat:newline', 'ctrl+s': 'chat:submit' }
  const bindings = { bindings: [{ context: 'Chat', bindings: keys }] }
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude', 'keybindings.json'), JSON.stringify(bindings))
  const keymap = [
    '',
    '[tui.keymap.composer]',
    'submit = "f9"',
    '[tui.keymap.editor]',
    'insert_newline = "enter"',
    '',
  ]
  appendFileSync(join(home, '.codex', 'config.toml'), keymap.join('\n'))
}

/** Short is what the tests wait for; what a machine that stands still must not run out of is not. */
const test = ranchTest({
  supervisor: {
    runtime: { reconcileMs: 1_250, stopTimeoutMs: 2_500 },
    delivery: {
      quietMs: 5_000,
      recheckMs: 1_250,
      deferLimitMs: 15_000,
      ackTimeoutMs: 4_000,
      backoffMs: [500, 1_000],
    },
  },
  channel: false,
  // A session in which nothing was said yet cannot be gone on with.
  prompts: {
    claude: 'You tend the fences. Await triggers.',
    codex: 'You tend the horses. Await triggers.',
  },
  prepare: haveEnterBeginALine,
})

for (const [role, title] of [
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
] as const) {
  test(`what ${title} does not take from its composer leads to a resume with the prompt`, async ({
    ranch,
  }) => {
    const { session, pid } = await ranch.start(role)

    const { id } = await ranch.trigger(role, `Errand for ${role}: mend the fence.`)
    const trigger = await ranch.settled(id)

    expect(trigger).toMatchObject({ state: 'delivered', via: 'resume', pastes: 1, enters: 3 })
    expect(await audited(ranch, trigger)).toContain('fallback_resume_started ACK_TIMEOUT')
    await isGoneOnWith(ranch, role, { session, pid, errand: `Errand for ${role}:` })
  })
}

test('a trigger gives way to the operator who types, is typed once he has gone, and resumed with where Enter has no effect', async ({
  ranch,
}) => {
  const { operator } = ranch.world
  const { session, pid, pane } = await ranch.waitForRuntime('codex', 'ready', isReady)
  await waitToSeeEmpty(ranch, 'codex')
  await operator.lookAt(pane!)
  await operator.type('a')

  const { id } = await ranch.trigger('codex', 'Errand 1: count the horses.')
  const deferred = await waitFor(() => ranch.triggerOf(id), {
    what: 'the trigger to be deferred',
    until: ({ state }) => state !== 'queued',
  })
  expect(deferred).toMatchObject({ state: 'deferred', code: 'OPERATOR_BUSY', pastes: 0 })
  let typed = 'a'
  const fallen = await waitFor(
    async () => {
      await operator.type('b')
      typed += 'b'
      await new Promise((resolve) => setTimeout(resolve, 300))
      return ranch.triggerOf(id)
    },
    {
      what: 'the trigger not to wait any longer',
      until: ({ state }) => state !== 'deferred',
      timeoutMs: 60_000,
    },
  )
  expect(fallen).toMatchObject({ state: 'fallback', code: 'DEFER_TIMEOUT', pastes: 0 })
  await waitFor(() => sightOf('codex', { pane: pane! }), {
    what: `"${typed}" to stand in the composer`,
    until: (sight) => sight.kind === 'text' && sight.text === typed,
  })

  await operator.press('C-u')
  await operator.lookAt({ socket: ranch.world.tmux.socket, id: '%0' })
  const trigger = await ranch.settled(id)
  expect(trigger).toMatchObject({ state: 'delivered', via: 'resume', pastes: 1 })
  await isGoneOnWith(ranch, 'codex', { session, pid, errand: 'Errand 1:' })
})

/** In the same conversation, by another process, and with the prompt in it once. */
async function isGoneOnWith(
  ranch: RealRanch,
  role: Role,
  before: { session: string | null; pid: number | null; errand: string },
): Promise<void> {
  await ranch.models[role].waitForRequest(before.errand)
  const runtime = await ranch.waitForRuntime(
    role,
    'ready again',
    (one) => isReady(one) && one.pid !== before.pid,
  )
  expect(runtime).toMatchObject({ session: before.session, failures: [] })
  await waitToSeeEmpty(ranch, role)
  expect(ranch.timesSaid(role, before.errand)).toBe(1)
  const { said = [] } = ranch.models[role].requestsFor(before.errand).at(-1)!
  expect(said.join('\n')).toContain('Await triggers.')
}

async function waitToSeeEmpty(ranch: RealRanch, role: Role): Promise<void> {
  const { pane } = await ranch.runtime(role)
  await waitToSee(HARNESS[role], { name: role, pane: pane! }, 'empty')
}

function isReady({ status }: { status: string }): boolean {
  return status === 'ready'
}

async function audited(ranch: RealRanch, { id }: TriggerView): Promise<string[]> {
  const { lines } = await ranch.get<AuditView>(`/audit?trigger=${id}&limit=100`)
  return lines.map(({ kind, result }) => `${kind} ${result}`)
}
