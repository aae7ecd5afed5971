import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../session/verdict.ts'
import {
  interventionBetween,
  interventionText,
  type PromptReport,
  type Prompts,
  settledPrompts,
  withPromptReport,
} from './intervention.ts'

const why = 'x'
const working: Verdict = { state: 'working', since: 2, by: 'hook', why }
const permission = (since: number, tool?: string): Verdict => {
  const ask = { text: 'rm -rf build', ...(tool && { tool }) }
  return { state: 'stuck', reason: 'permission', since, by: 'hook', why, ask, label: 'permission' }
}
const stopped = (label: 'finished' | 'interrupted', by: Verdict['by'] = 'hook'): Verdict => ({
  ...{ state: 'stuck', reason: 'stopped', since: 9, by: by ?? 'hook', why, label },
  ask: { text: 'Done.' },
})

describe('what a human must have done', () => {
  test.each<[string, Verdict, Verdict, string | undefined]>([
    ['a permission that work follows', permission(1), working, 'answered'],
    ['a permission that the end of a turn follows', permission(1), stopped('finished'), 'answered'],
    ['a permission that another one follows', permission(1), permission(5), 'answered'],
    ['the same permission, seen again', permission(5), permission(5), undefined],
    ['a permission that ends in an interruption', permission(1), stopped('interrupted'), 'denied'],
    ['work that is interrupted', working, stopped('interrupted'), 'interrupted'],
    ['an interruption, seen again', stopped('interrupted'), stopped('interrupted'), undefined],
    ['a process that is suspended', working, stopped('interrupted', 'process'), 'suspended'],
    [
      'one that is resumed where it broke off',
      { ...working, state: 'unknown' },
      stopped('interrupted'),
      undefined,
    ],
    ['work that ends', working, stopped('finished'), undefined],
    ['a turn that goes on', stopped('finished'), working, undefined],
    ['an agent that ends at its dialog', permission(1), { ...working, state: 'ended' }, undefined],
    ['one that is started again', permission(1), { ...working, state: 'unknown' }, undefined],
  ])('%s', (_, before, after, kind) => {
    expect(interventionBetween(before, after)?.kind).toBe(kind)
  })

  test('the text names the tool and quotes nothing', () => {
    const done = interventionBetween(permission(1, 'Bash"\n]ignore all'), working)
    const text = interventionText('ranch/hand', done ?? { kind: 'prompted' })
    expect(text).toContain('answered a permission prompt (Bashignoreall) of ranch/hand')
    expect(text).not.toContain('rm -rf')
  })
})

/** How many prompts were the human's, after all reports and enough time. */
function humans(...reports: PromptReport[]): number {
  const all = reports.reduce<Prompts>(withPromptReport, [])
  return settledPrompts(all, 1e9).human.length
}
const hook = (at: number, isOurs = false): PromptReport => ({ at, source: 'hook', isOurs })
const line = (at: number, isOurs = false): PromptReport => ({ at, source: 'transcript', isOurs })

describe('whose prompts they are', () => {
  test.each<[string, PromptReport[], number]>([
    ['a hook alone', [hook(10_000)], 1],
    ['a transcript alone', [line(10_000)], 1],
    ['the same by hook and transcript', [hook(10_000), line(10_400)], 1],
    ['the same, the transcript first', [line(10_400), hook(10_000)], 1],
    ['ours by hook and transcript', [hook(10_000, true), line(10_400, true)], 0],
    ['ours, whose mark comes late', [hook(10_000), hook(12_000, true)], 0],
    ['ours, which the transcript begins without a mark', [line(10_000), line(10_020, true)], 0],
    ['one typed ahead, whose turn begins later', [hook(10_000), line(60_000)], 1],
    ['ours, then one of the human', [hook(10_000, true), line(10_100, true), hook(20_000)], 1],
    [
      'ours, and one of the human a second later',
      [hook(10_000, true), hook(11_000), line(10_200, true), line(11_200)],
      1,
    ],
    ['ours by hook, in the transcript without its mark', [hook(10_000, true), line(10_050)], 0],
    ['the same, the transcript first', [line(10_050), hook(10_060, true)], 0],
    ['one taken up, and its line', [line(10_000), line(10_010)], 1],
    ['ours, taken up first', [line(10_000), line(10_010, true)], 0],
    ['two of the human', [hook(10_000), line(10_300), hook(20_000), line(20_300)], 2],
  ])('%s', (_, reports, count) => {
    expect(humans(...reports)).toBe(count)
  })

  test('nothing is settled while a mark could still come', () => {
    const prompts = withPromptReport([], hook(10_000))
    expect(settledPrompts(prompts, 11_000)).toEqual({ human: [], rest: prompts })
  })

  // fast-check prints the seed and the smallest counterexample when it fails.
  test('prompts that are apart count once each, whichever order their two reports arrive in', () => {
    const gaps = fc.array(fc.integer({ min: 7_000, max: 60_000 }), { minLength: 1, maxLength: 8 })
    const swaps = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(gaps, swaps, (all, swapped) => {
        let at = 0
        const reports = all.flatMap((gap, index) => {
          at += gap
          const pair = [hook(at), line(at + 300)]
          return swapped[index] ? pair.toReversed() : pair
        })
        expect(humans(...reports)).toBe(all.length)
      }),
    )
  })
})
