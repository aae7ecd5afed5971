import { expect, test } from 'vitest'
import type { DiagnosisKind } from '../monitor/diagnosis.ts'
import { DEFAULT_POLICY, TRIAGE_POLICIES, triageAct } from './policy.ts'

const fresh = { attempts: 0, isTouched: false }
const press = (as: 'nudge' | 'approve') => ({ kind: 'press', key: 'Enter', as })

test.each([
  ['escalate', 'dialog', { kind: 'escalate' }],
  ['escalate', 'hung', { kind: 'escalate' }],
  ['nudge', 'dialog', { kind: 'escalate' }],
  ['nudge', 'hung', press('nudge')],
  ['approve', 'dialog', press('approve')],
  ['approve', 'hung', press('nudge')],
] as const)('policy %s, agent shows %s', (policy, diagnosis, act) => {
  expect(triageAct(policy, { diagnosis, ...fresh })).toEqual(act)
})

test('the default policy asks the operator', () => {
  expect(DEFAULT_POLICY).toBe('escalate')
})

test('a key is never pressed a third time, nor where somebody has typed', () => {
  const hung = { diagnosis: 'hung', isTouched: false } as const
  expect(triageAct('approve', { ...hung, attempts: 1 })).toEqual(press('nudge'))
  expect(triageAct('approve', { ...hung, attempts: 2 })).toEqual({ kind: 'escalate' })
  expect(triageAct('approve', { ...hung, attempts: 0, isTouched: true })).toEqual({
    kind: 'escalate',
  })
})

test.each<DiagnosisKind>([
  'working',
  'slow',
  'idle',
  'thinking',
  'suspended',
  'crashed',
  'exited',
  'finished',
  'unobservable',
])('an agent that is %s is left alone under every policy', (diagnosis) => {
  for (const policy of TRIAGE_POLICIES) {
    expect(triageAct(policy, { diagnosis, ...fresh })).toEqual({ kind: 'none' })
  }
})
