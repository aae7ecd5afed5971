import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AuditView } from '../../src/contract/supervisor.ts'
import { DEFAULT_RULES } from '../../src/core/supervisor/defaults.ts'
import { createRanch, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

/** With `OPERATOR_TYPING_REAL` the product's own 20 s, 5 s and 60 s; else all of it ten times quicker. */
const TIMES_SHORTER = process.env['OPERATOR_TYPING_REAL'] === undefined ? 10 : 1
const QUIET_MS = DEFAULT_RULES.delivery.quietMs / TIMES_SHORTER
const DEFER_LIMIT_MS = DEFAULT_RULES.delivery.deferLimitMs / TIMES_SHORTER
const FALLBACK_LIMIT_MS = 3_000
const patient = { timeout: 60_000 + 5 * DEFER_LIMIT_MS }

test(
  'nothing is typed within the quiet window of a key, and what the operator typed stays his',
  patient,
  async () => {
    const { deferLimitMs } = DEFAULT_RULES.delivery
    await using ranch = await ranchWithOperator({ deferLimitMs })
    await ranch.world.operator.type('m')
    const { id } = await ranch.trigger('worker', 'Count the herd.')
    for (const piece of ['end ', 'the ', 'gate']) {
      await delay(QUIET_MS / 2)
      await ranch.world.operator.type(piece)
    }
    const pressedAt = Date.now()
    await ranch.world.operator.press('Enter')
    const trigger = await settled(ranch, id)

    expect(trigger).toMatchObject({ state: 'delivered', via: 'paste', pastes: 1, enters: 1 })
    expect(ranch.submitted('worker')).toEqual([
      'mend the gate',
      expect.stringContaining('Count the herd.'),
    ])
    const pastedAt = ranch.log('worker').find(({ kind }) => kind === 'pasted')?.at ?? 0
    expect(pastedAt - pressedAt).toBeGreaterThanOrEqual(QUIET_MS)
  },
)

test(
  'after DEFER_TIMEOUT it is typed once the operator has gone and his words with him: nobody is ended for it',
  patient,
  async () => {
    await using ranch = await ranchWithOperator()
    const { pid } = await ranch.runtime('worker')
    await ranch.world.operator.type('a')
    const { id } = await ranch.trigger('worker', 'Count the herd.')
    let typed = 'a'
    await waitFor(
      async () => {
        await ranch.world.operator.type('b')
        typed += 'b'
        return (await ranch.triggerOf(id)).code
      },
      {
        what: 'DEFER_TIMEOUT',
        until: (code) => code === 'DEFER_TIMEOUT',
        timeoutMs: 20_000 + DEFER_LIMIT_MS,
      },
    )
    expect(ranch.log('worker').filter(({ kind }) => kind === 'pasted')).toEqual([])
    const pressedAt = Date.now()
    await ranch.world.operator.press('Enter')
    const trigger = await settled(ranch, id)

    expect(trigger).toMatchObject({ state: 'delivered', via: 'paste', pastes: 1, enters: 1 })
    expect(ranch.submitted('worker')).toEqual([typed, expect.stringContaining('Count the herd.')])
    const pastedAt = ranch.log('worker').find(({ kind }) => kind === 'pasted')?.at ?? 0
    expect(pastedAt - pressedAt).toBeGreaterThanOrEqual(QUIET_MS)
    expect((await ranch.runtime('worker')).pid).toBe(pid)
    const audit = await auditOf(ranch, id)
    expect(audit).toEqual(expect.arrayContaining(['trigger_deferred', 'trigger_fell_back']))
    expect(audit).not.toContain('fallback_resume_started')
  },
)

test(
  'a draft that the operator left is neither submitted nor lost, and the trigger is his to settle',
  patient,
  async () => {
    await using ranch = await ranchWithOperator({ fallbackLimitMs: FALLBACK_LIMIT_MS })
    await ranch.world.operator.type('half a thought')
    const { id } = await ranch.trigger('worker', 'Count the herd.')
    const trigger = await settled(ranch, id)

    expect(trigger).toMatchObject({ state: 'failed', code: 'DEFER_TIMEOUT', pastes: 0 })
    expect(ranch.submitted('worker')).toEqual([])
    expect(await ranch.world.operator.screen()).toMatch(/^❯ half a thought$/m)
    await ranch.world.waitForQueue('the trigger', (items) =>
      items.some(({ session }) => session === `trigger-${id}`),
    )
  },
)

test(
  'the operator can have it typed at once himself, and the audit says who and why',
  patient,
  async () => {
    await using ranch = await ranchWithOperator()
    await ranch.world.operator.press('Enter')
    const force = { by: 'ada', why: 'the river rises' }
    const { id } = await ranch.trigger('worker', 'Count the herd.', { force })
    const trigger = await settled(ranch, id)

    expect(trigger).toMatchObject({ state: 'delivered', via: 'paste', enters: 1 })
    expect(await auditOf(ranch, id)).not.toContain('trigger_deferred')
    const { lines } = await ranch.get<AuditView>(`/audit?trigger=${id}&kind=override_forced`)
    expect(lines).toMatchObject([{ actor: 'operator:ada', detail: 'the river rises' }])
  },
)

/** The operator looks at the pane of the one worker, whose composer is on the screen. */
async function ranchWithOperator(delivery: Record<string, number> = {}): Promise<Ranch> {
  const settings = scaled(TIMES_SHORTER)
  const ranch = await createRanch({
    roles: ['worker'],
    supervisor: { ...settings, delivery: { ...(settings['delivery'] as object), ...delivery } },
  })
  try {
    const { pane } = await ranch.start('worker')
    if (!pane) throw new Error('the worker has no pane')
    await ranch.world.operator.lookAt(pane)
    await ranch.world.operator.waitToSee(/^❯/m)
    return ranch
  } catch (error) {
    await ranch[Symbol.asyncDispose]()
    throw error
  }
}

function settled(ranch: Ranch, id: string) {
  return waitFor(() => ranch.triggerOf(id), {
    what: 'the trigger to have ended',
    until: ({ settledAt }) => settledAt !== null,
    timeoutMs: 30_000 + 3 * DEFER_LIMIT_MS,
  })
}

async function auditOf(ranch: Ranch, id: string): Promise<string[]> {
  const { lines } = await ranch.get<AuditView>(`/audit?trigger=${id}`)
  return lines.map(({ kind }) => kind)
}
