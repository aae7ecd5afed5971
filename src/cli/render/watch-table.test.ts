import { expect, test } from 'vitest'
import type { MonitoredPane } from '../../contract/responses.ts'
import { watchTable } from './watch-table.ts'

const NOW = 1_000_000
const PANE: MonitoredPane = {
  pane: { socket: '/s', id: '%3' },
  pid: 7,
  program: 'python3',
  harness: 'program',
  session: 'python3-7',
  state: 'stuck',
  attention: 'fresh',
  signal: 'quiet',
  rule: 'a prompt of a REPL',
  shows: 'idle',
  identical: 1,
  stall: 'none',
  unchangedSince: NOW - 9_000,
  diagnosis: null,
  lookedAt: NOW - 4_000,
  nextLookAt: NOW + 12_000,
  title: null,
}

test('each pane is a row: its program, the verdict, the pace and what the rules say', () => {
  expect(watchTable([PANE], { now: NOW, width: 200 }).split('\n')[1]).toMatch(
    /^%3 +python3 +stuck +quiet +4s ago +in 12s +1 +a prompt of a REPL \(idle\)$/,
  )
})

test('a stall shows its cause', () => {
  const sentence = 'It prints nothing, but its child cc1 (9) uses the CPU.'
  const stalled: MonitoredPane = {
    ...PANE,
    ...{ rule: null, shows: null, identical: 4, stall: 'confirmed', nextLookAt: NOW - 1 },
    diagnosis: { kind: 'working', sentence },
  }
  const [, row] = watchTable([stalled], { now: NOW, width: 200 }).split('\n')
  expect(row).toMatch(/now +4, working +nothing that a rule knows; It prints nothing, but/)
})

test('a program that was found just now has not been looked at yet', () => {
  const fresh: MonitoredPane = { ...PANE, lookedAt: null, state: null, session: null }
  expect(watchTable([fresh], { now: NOW, width: 200 })).toMatch(/%3 +python3 +- +quiet +not yet/)
})
