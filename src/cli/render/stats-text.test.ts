import { expect, test } from 'vitest'
import { NOW } from '../../../test/support/views/queue-item.ts'
import type { AnswerTimes, StatsView } from '../../contract/stats.ts'
import { statsText } from './stats-text.ts'

const times = (week: number, medianMs: number): AnswerTimes => ({
  ...{ today: Math.floor(week / 7), week, medianMs },
  ...{ p90Ms: medianMs * 8, longestMs: medianMs * 90 },
})
const nobody = { today: 0, week: 0 }
const none: AnswerTimes = { today: 0, week: 0, medianMs: null, p90Ms: null, longestMs: null }

function stats(changes: Partial<StatsView> = {}): StatsView {
  return {
    todaySince: NOW - 43_200_000,
    weekSince: NOW - 604_800_000,
    queue: { ready: 3, cooling: 1, oldestSince: NOW - 14 * 60_000 },
    outcomes: {
      answered: { today: 12, week: 84 },
      settled: { today: 1, week: 9 },
      ended: { today: 0, week: 6 },
      unknown: { today: 0, week: 0 },
    },
    answers: {
      ...times(84, 42_000),
      harnesses: [
        { harness: 'claude-code', ...times(61, 38_000) },
        { harness: 'codex', ...times(22, 71_000) },
        { harness: 'trailboss', ...times(1, 4_200) },
      ],
    },
    supervisor: null,
    ...changes,
  }
}
const text = (changes: Partial<StatsView> = {}, width = 80) =>
  `\n${statsText(stats(changes), { now: NOW, width })}\n`

test('without workspaces they cover the queue and the answers', () => {
  expect(text()).toMatchInlineSnapshot(`
    "
      queue     3 stuck, 1 skipped, the oldest for 14m
      answered  12 today, 84 in seven days
      settled   1 today, 9 in seven days (without you)
      ended     0 today, 6 in seven days (gone while stuck)

      TIME TO ANSWER  MEDIAN  9 OF 10  LONGEST  TODAY  7 DAYS
      claude-code     38s     5m       57m      8      61
      codex           1m      9m       1h46m    3      22
      trailboss       4.2s    33s      6m       0      1
      all             42s     5m       1h03m    12     84
    "
  `)
})

test('with workspaces they cover runtimes and triggers, too', () => {
  const supervisor = {
    runtimes: { total: 5, running: 4, failed: ['ranch/tester'] },
    triggers: { open: 1, delivered: 132, failed: 2, medianMs: 2_600, p90Ms: 11_000 },
    restarts: 5,
    drifts: 1,
  }
  expect(text({ supervisor })).toMatchInlineSnapshot(`
    "
      queue     3 stuck, 1 skipped, the oldest for 14m
      answered  12 today, 84 in seven days
      settled   1 today, 9 in seven days (without you)
      ended     0 today, 6 in seven days (gone while stuck)

      TIME TO ANSWER  MEDIAN  9 OF 10  LONGEST  TODAY  7 DAYS
      claude-code     38s     5m       57m      8      61
      codex           1m      9m       1h46m    3      22
      trailboss       4.2s    33s      6m       0      1
      all             42s     5m       1h03m    12     84

      runtimes  4 of 5 run; ranch/tester failed
      triggers  132 delivered, 2 failed, 1 under way
      delivery  half within 2.6s, nine of ten within 11s
      restarts  5
      drift     1 times a pane was not the one that was known
    "
  `)
  expect(
    text({ supervisor }, 60)
      .split('\n')
      .every((line) => line.length <= 60),
  ).toBe(true)
})

test('they say so if nothing was ever stuck', () => {
  expect(
    text({
      queue: { ready: 0, cooling: 0, oldestSince: null },
      outcomes: { answered: nobody, settled: nobody, ended: nobody, unknown: nobody },
      answers: { ...none, harnesses: [] },
    }),
  ).toMatchInlineSnapshot(`
    "
      queue     nothing is stuck
      answered  0 today, 0 in seven days
    "
  `)
})
