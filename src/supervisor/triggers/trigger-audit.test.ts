import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { targetObserved, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import type { TargetObservation } from '../../core/supervisor/trigger/target-observation.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { type ActionResult, afterAction } from '../../core/supervisor/trigger/trigger-outcome.ts'
import { triggerStep } from '../../core/supervisor/trigger/trigger-step.ts'
import { migrations } from '../../store/database/migrations.ts'
import { appendAudit } from '../../store/tables/audit.ts'
import { auditOf, unreportedWrites } from './trigger-audit.ts'

const queued = triggerIn('queued')
const claimed = triggerIn('claimed', queued)
const written = triggerIn('written', queued)
const entered = triggerIn('submitted', queued)

function database(...lines: ReturnType<typeof auditOf>): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  for (const sql of migrations) db.exec(sql)
  for (const { payload: _, ...line } of lines)
    appendAudit(db, { at: 1, triggerId: 'trg_1', ...line })
  return db
}

test('a write that was started and never reported is audited as unknown', () => {
  const begun = auditOf(queued, claimed)
  expect(unreportedWrites(database(...begun), claimed)).toMatchObject([
    { kind: 'pane_written', payload: 'Go on.', result: expect.stringContaining('unknown') },
  ])
  const done = [...begun, { kind: 'pane_written', actor: 'trailboss', result: 'ok' } as const]
  expect(unreportedWrites(database(...done), written)).toEqual([])
  expect(unreportedWrites(database(...done, ...auditOf(written, entered)), entered)).toMatchObject([
    { kind: 'key_pressed', detail: 'Enter' },
  ])
})

test('a step that only waits is not audited', () => {
  expect(auditOf(queued, triggerIn('queued', queued, { notBefore: 5 }))).toEqual([])
})

test('a write to a channel that was never reported is audited, too', () => {
  const handed: Trigger = { ...claimed, write: { ...claimed.write, by: 'channel' } }
  const begun = auditOf(queued, handed)
  expect(unreportedWrites(database(...begun), handed)).toMatchObject([{ kind: 'channel_written' }])
  const done = [...begun, { kind: 'channel_written', actor: 'trailboss', result: 'ok' } as const]
  expect(unreportedWrites(database(...done), handed)).toEqual([])
})

const T = 1_000
const OURS = { kind: 'text', text: queued.text } as const
const DRAFT = { kind: 'text', text: 'what if' } as const
const ack = { kind: 'hook', at: T } as const

type Step = readonly [Partial<TargetObservation>, ActionResult?]

/** The audit of a delivery that meets these observations, each with the result of its act. */
function audited(trigger: Trigger, ...steps: readonly Step[]): string[] {
  let [latest, now] = [trigger, T]
  const lines: string[] = []
  const store = (next: Trigger) => {
    lines.push(...auditOf(latest, next).map(({ kind, detail }) => `${kind} ${detail ?? ''}`.trim()))
    latest = next
  }
  for (const [told, result = 'done'] of steps) {
    now += 15_000
    const { trigger: next, act } = triggerStep(latest, targetObserved(now, told), now)
    store(next)
    if (act.kind !== 'settle') store(afterAction(next, act, result, now).trigger)
  }
  return lines
}

const at = { ...queued, createdAt: T }
const typing = [[{}], [{ composer: OURS }]] as const
const gone = { pane: 'dead' } as const
const fallen = triggerIn('fallback', at, { write: undefined, fallback: { since: T, goneAt: T } })

describe('sending is audited once, with the way', () => {
  const sentBy = (...told: Parameters<typeof audited>) =>
    audited(...told).filter((line) => line.startsWith('trigger_sent'))

  const typed: readonly Step[] = [...typing, [gone], [gone]]

  test.each([
    ['by the keyboard', at, [...typing, [{ acks: [ack] }]], 'paste'],
    [
      'with Enter pressed three times',
      at,
      [...typing, [{ composer: OURS }], [{ composer: OURS }]],
      'paste',
    ],
    ['by its channel', at, [[{ channel: 'open', composer: DRAFT }], [{ acks: [ack] }]], 'channel'],
    ['by a prompt of the operator’s Enter', at, [[{}], [{ acks: [ack] }]], 'paste'],
  ] as const)('%s', (_, trigger, steps, via) => {
    expect(sentBy(trigger, ...(steps as readonly Step[]))).toEqual([`trigger_sent ${via}`])
  })

  test.each([
    ['resume', 's'],
    ['spawn', undefined],
  ] as const)('at a launch: %s', (how, sessionId) => {
    const dead = { ...gone, sessionId }
    expect(sentBy(fallen, [dead], [{ acks: [ack] }])).toEqual([`trigger_sent ${how}`])
    expect(sentBy(fallen, [dead, 'refused'])).toEqual([])
  })

  test('not again if it goes in another way, and not for what was refused', () => {
    expect(sentBy(at, ...typed, [gone], [{ acks: [ack] }])).toEqual(['trigger_sent paste'])
    const refused = [{ composer: OURS }, 'refused'] as const
    expect(sentBy(at, [{}], [...refused])).toEqual([])
    expect(sentBy(at, [{}], [...refused], [{ composer: OURS }])).toEqual(['trigger_sent paste'])
  })

  test('not while the result is unknown, but once it is proved', () => {
    const unknown = [{ channel: 'open', composer: DRAFT }, 'unknown'] as const
    expect(sentBy(at, [...unknown])).toEqual([])
    expect(sentBy(at, [...unknown], [{ acks: [ack] }])).toEqual(['trigger_sent channel'])
  })
})

test('Enter pressed again is audited as a retry', () => {
  const ours = [{ composer: OURS }] as const
  expect(audited(at, ...typing, ours, ours)).toEqual([
    'trigger_claimed',
    'trigger_sent paste',
    'trigger_retried Enter',
    'trigger_retried Enter',
  ])
})

test('a second paste is audited as a retry', () => {
  expect(audited(at, [{}], [{}])).toEqual(['trigger_claimed', 'trigger_retried'])
})

test.each([
  ['resume', 'as its success', 's', ['fallback_resume_succeeded']],
  ['spawn', 'as delivered', undefined, []],
] as const)('a prompt that arrived by a %s is audited %s', (how, _, sessionId, more) => {
  expect(audited(fallen, [{ ...gone, sessionId }], [{ acks: [ack] }])).toEqual([
    `fallback_${how}_started`,
    `trigger_sent ${how}`,
    'ack_received hook',
    `trigger_delivered ${how}`,
    ...more,
  ])
})

test('each failed resume is audited', () => {
  const fallen = triggerIn('fallback', entered, { fallback: { goneAt: 60 } })
  let trigger: Trigger = fallen
  const lines: string[] = []
  for (let now = 100; trigger.state === 'fallback'; now += 1_000) {
    const observed = targetObserved(now, { pane: 'dead' })
    const { trigger: next } = triggerStep(trigger, observed, now)
    lines.push(...auditOf(trigger, next).map(({ kind }) => kind))
    trigger = next
  }
  expect(lines).toEqual([
    'fallback_resume_started',
    'fallback_resume_failed',
    'fallback_resume_started',
    'fallback_resume_failed',
    'fallback_spawn_started',
    'trigger_failed',
  ])
})

test('the fallback is audited once, with the reason', () => {
  const fallen = triggerIn('fallback', entered)
  expect(auditOf(entered, fallen)).toMatchObject([
    { kind: 'trigger_fell_back', result: 'ACK_TIMEOUT' },
  ])
  const resumed = triggerIn('fallback', entered, { fallback: { code: 'SPAWN_FAILED' } })
  expect(auditOf(fallen, resumed)).toEqual([])
})
