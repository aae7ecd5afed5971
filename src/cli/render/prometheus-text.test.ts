import { expect, test } from 'vitest'
import { samplesOf } from './prometheus-text.ts'

test('every sample is found with its labels, and comments are skipped', () => {
  const text = [
    '# HELP trailboss_sessions Known sessions by state.',
    '# TYPE trailboss_sessions gauge',
    'trailboss_sessions{state="stuck"} 2',
    'trailboss_queue_oldest_seconds 1.5e-7',
    'x_bucket{le="+Inf",harness="a\\"b\\\\c\\nd, e=\\"f"} 7',
    '',
  ].join('\n')
  expect(samplesOf(text)).toEqual([
    { name: 'trailboss_sessions', labels: { state: 'stuck' }, value: 2 },
    { name: 'trailboss_queue_oldest_seconds', labels: {}, value: 1.5e-7 },
    { name: 'x_bucket', labels: { le: '+Inf', harness: 'a"b\\c\nd, e="f' }, value: 7 },
  ])
})
