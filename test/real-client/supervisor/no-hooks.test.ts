import { expect } from 'vitest'
import type { ExplainView } from '../../../src/contract/responses.ts'
import type { AuditView, TriggerView } from '../../../src/contract/supervisor.ts'
import { say } from '../support/model/reply.ts'
import { type RealRanch, ROLES, type Role } from '../support/real-ranch.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

const TRIGGERS = Number(process.env['REAL_TRIGGERS'] ?? 5)

/** Nobody has installed our hooks: only its transcript shows what an agent took. */
const test = ranchTest({ hooks: false })

test('a start says that the hooks are missing, and what that costs', async ({ ranch }) => {
  const started = await ranch.world.trailboss('runtime', 'start', 'ranch/codex')
  expect(started).toMatchObject({ code: 0 })
  expect(started.stderr).toContain('Codex runs no hooks of Trail Boss.')
  expect(started.stderr).toContain('confirmed from its transcript, a few seconds later')
  expect(started.stderr).toContain('trailboss install codex')
  expect(await ranch.runtime('codex')).toMatchObject({ hooks: { fix: 'trailboss install codex' } })
  await ranch.start('claude', 'ready')
  expect(await ranch.runtime('claude')).toMatchObject({
    hooks: { fix: 'trailboss install claude-code' },
  })
})

for (const role of ROLES) {
  test(`${role} gets every prompt once, proved by its transcript, in one conversation`, async ({
    ranch,
  }) => {
    const before = await ranch.waitForRuntime(role, 'ready', ({ status }) => status === 'ready')
    for (let n = 0; n < TRIGGERS; n++) {
      const trigger = await delivered(ranch, role, n)
      expect(trigger).toMatchObject({
        via: 'paste',
        pastes: 1,
        enters: 1,
        ack: { kind: 'transcript' },
      })
    }
    const { session, pane, failures } = await ranch.runtime(role)
    expect({ id: pane?.id, failures }).toEqual({ id: before.pane?.id, failures: [] })
    for (let n = 0; n < TRIGGERS; n++) expect(ranch.timesSaid(role, errand(n))).toBe(1)
    const { said = [] } = ranch.models[role].requestsFor(errand(TRIGGERS - 1)).at(-1)!
    expect(said.join('\n')).toContain(errand(0))

    const { because } = await ranch.get<ExplainView>(`/explain?target=${session}`)
    expect(because.map(({ source }) => source)).toContain('transcript')
    const { lines } = await ranch.get<AuditView>(`/audit?agent=ranch/${role}&limit=200`)
    const kinds = lines.map(({ kind }) => kind)
    expect(kinds).not.toContain('trigger_fell_back')
    expect(kinds).not.toContain('runtime_restarted')
  })
}

test('one that was killed goes on with its conversation', async ({ ranch }) => {
  const before = await ranch.runtime('codex')
  process.kill(before.pid!, 'SIGKILL')
  const after = await ranch.waitForRuntime(
    'codex',
    'ready again',
    ({ status, pid }) => status === 'ready' && pid !== before.pid,
  )
  expect(after.session).toBe(before.session)
  await delivered(ranch, 'codex', TRIGGERS)
  const { said = [] } = ranch.models.codex.requestsFor(errand(TRIGGERS)).at(-1)!
  expect(said.join('\n')).toContain(errand(0))
})

async function delivered(ranch: RealRanch, role: Role, n: number): Promise<TriggerView> {
  ranch.models[role].plan(errand(n), say(`Errand ${n} is done.`))
  const { id } = await ranch.trigger(role, `${errand(n)} count the horses.`)
  const trigger = await ranch.settled(id)
  expect(trigger).toMatchObject({ state: 'delivered' })
  await ranch.hasSaid(role, `Errand ${n} is done.`)
  return trigger
}

function errand(n: number): string {
  return `Errand ${n}:`
}
