import { describe, expect, test } from 'vitest'
import {
  harnessesIn,
  harnessIn,
  rolesIn,
  rolesOf,
  usualHarnesses,
  withDuties,
} from './role-choice.ts'

const KNOWN = ['mule', 'ox', 'horse']

describe('who does what', () => {
  test('by default the first harness does everything, and a second one reviews', () => {
    expect(usualHarnesses(['mule'])).toEqual({ lead: 'mule', worker: 'mule', reviewer: 'mule' })
    expect(usualHarnesses(['mule', 'ox', 'horse'])).toMatchObject({
      worker: 'mule',
      reviewer: 'ox',
    })
    expect(usualHarnesses([])).toEqual({ lead: '-', worker: '-', reviewer: '-' })
  })

  test('one worker is called worker, several are numbered, and nobody means no role', () => {
    expect(rolesOf({ lead: 'mule', workers: ['ox'], reviewer: undefined })).toEqual({
      lead: 'mule',
      worker: 'ox',
    })
    expect(rolesOf({ lead: undefined, workers: ['ox', 'mule'], reviewer: 'ox' })).toEqual({
      'worker-1': 'ox',
      'worker-2': 'mule',
      reviewer: 'ox',
    })
  })

  test('a lead leads and a reviewer reviews, unless another role is named', () => {
    const roles = { lead: 'mule', hand: 'ox', reviewer: 'ox' }
    expect(withDuties(roles, {})).toMatchObject({ orchestrator: 'lead', reviewer: 'reviewer' })
    expect(withDuties(roles, { orchestrator: 'hand', reviewer: 'lead' })).toMatchObject({
      orchestrator: 'hand',
      reviewer: 'lead',
    })
    expect(withDuties({ hand: 'ox' }, {})).toEqual({
      roles: { hand: 'ox' },
      orchestrator: undefined,
      reviewer: undefined,
    })
    expect(() => withDuties(roles, { reviewer: 'judge' })).toThrow(
      '--reviewer names no role: "judge"',
    )
  })
})

describe('what is typed', () => {
  test('a flag has a role and its harness', () => {
    expect(rolesIn(['lead=mule', 'hand=ox'], KNOWN)).toEqual({ lead: 'mule', hand: 'ox' })
    for (const wrong of ['lead', 'lead=', '=mule', 'Lead=mule', 'lead=mule=ox']) {
      expect(() => rolesIn([wrong], KNOWN)).toThrow(/is not a role and its harness/)
    }
    expect(() => rolesIn(['lead=cow'], KNOWN)).toThrow('Trail Boss cannot run "cow"')
  })

  test('an answer is a harness, several, or nobody', () => {
    expect(harnessIn('mule', KNOWN)).toBe('mule')
    expect(harnessIn('-', KNOWN)).toBeUndefined()
    expect(harnessesIn('mule, ox,horse', KNOWN)).toEqual(['mule', 'ox', 'horse'])
    expect(harnessesIn('-', KNOWN)).toEqual([])
    expect(() => harnessIn('cow\u001b[31m', KNOWN)).toThrow(/^"cow[^\u001b]*" is not known/)
  })
})
