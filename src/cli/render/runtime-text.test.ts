import { expect, test } from 'vitest'
import { NOW } from '../../../test/support/views/queue-item.ts'
import { runtimeView } from '../../../test/support/views/supervisor-views.ts'
import type { RuntimeView } from '../../contract/supervisor.ts'
import { changeText, hooksWarning, runtimeTable, runtimeText } from './runtime-text.ts'

const down: Partial<RuntimeView> = { pane: null, pid: null }
const runtimes = [
  runtimeView('lead', { harness: 'claude-code', status: 'awaiting_ack', openTriggers: 2 }),
  runtimeView('reviewer', { operatorBusy: true, failures: [NOW - 1] }),
  runtimeView('tester', { ...down, status: 'failed', wantsRunning: false, failures: [1, 2, 3] }),
  runtimeView('clerk', { ...down, status: 'failed', failures: [1] }),
  runtimeView('scribe', { ...down, status: 'stopped', failures: [1] }),
]
const tableAt = (width: number) => `\n${runtimeTable(runtimes, { now: NOW, width })}\n`
const text = (changes: Partial<RuntimeView>) =>
  runtimeText(runtimeView('reviewer', changes), { now: NOW })

test('the table has a row for each, with what is unusual about it', () => {
  expect(tableAt(80)).toMatchInlineSnapshot(`
    "
    AGENT           STATUS        FOR  HARNESS      PANE  OPEN  NOTE
    ranch/lead      awaiting ack  4m   claude-code  %3    2
    ranch/reviewer  ready         4m   codex        %3    0     you type there, 1 f…
    ranch/tester    failed        4m   codex        -     0     given up
    ranch/clerk     failed        4m   codex        -     0     is tried again, 1 f…
    ranch/scribe    stopped       4m   codex        -     0
    "
  `)
})

test('the table fits 60 columns', () => {
  expect(tableAt(60)).toMatchInlineSnapshot(`
    "
    AGENT           STATUS        FOR  PANE  OPEN  NOTE
    ranch/lead      awaiting ack  4m   %3    2
    ranch/reviewer  ready         4m   %3    0     you type the…
    ranch/tester    failed        4m   -     0     given up
    ranch/clerk     failed        4m   -     0     is tried aga…
    ranch/scribe    stopped       4m   -     0
    "
  `)
})

test('the details include how to watch it', () => {
  const beat = { lastHeartbeatAt: NOW - 9_000, lastTriggerId: 'trg_1', openTriggers: 1 }
  expect(`\n${text({ ...beat, failures: [NOW - 60_000] })}\n`).toMatchInlineSnapshot(`
    "
    ranch/reviewer is ready, for 4m.

      harness    codex
      session    0199a213-81c0-7800-8aa1-bbab2a035a53
      pane       %3, agents_ranch:reviewer
      process    4242
      directory  /home/op/ranch
      started    5m ago
      heartbeat  9s ago
      failures   1 lately, 1m ago
      triggers   1 under way, the last was trg_1

    Watch it with: tmux attach -t agents_ranch
    "
  `)
})

test.each<[RuntimeView['status'], string]>([
  ['failed', 'Start it once more with: trailboss runtime start ranch/reviewer'],
  ['stopped', 'Start it with: trailboss runtime start ranch/reviewer'],
])('one that is %s shows how to start it', (status, advice) => {
  expect(text({ ...down, status, wantsRunning: false })).toContain(advice)
})

test('one that the configuration no longer names says so, and how to remove it', () => {
  expect(
    runtimeTable([runtimeView('hand', { removed: true })], { now: NOW, width: 120 }),
  ).toContain('no longer in config.json')
  expect(text({ removed: true })).toContain('trailboss runtime deregister ranch/reviewer')
})

test('one that failed and is being retried says that it starts by itself', () => {
  const shown = text({ ...down, status: 'failed' })
  expect(shown).toContain('It is started again by itself.')
  expect(shown).not.toContain('runtime start')
})

test.each<[Partial<RuntimeView>, string]>([
  [{ status: 'starting' }, 'ranch/reviewer is starting, in pane %3 (agents_ranch:reviewer).'],
  [{ ...down, status: 'failed' }, 'ranch/reviewer is started within a few seconds.'],
  [{ status: 'offline' }, 'ranch/reviewer is started within a few seconds.'],
  [{ status: 'stopping' }, 'ranch/reviewer is stopping, and starts again then.'],
])('after a start with %j it says: %s', (changes, said) => {
  expect(changeText('start', 'ranch/reviewer', runtimeView('reviewer', changes))).toBe(said)
})

test('missing hooks are reported, with what that costs and how to add them', () => {
  const hooks = {
    missing: 'Codex runs no hooks of Trail Boss.',
    cost: 'Delivery of a prompt is confirmed from its transcript, a few seconds later.',
    fix: 'trailboss install codex',
  }
  const said = `Codex runs no hooks of Trail Boss. Delivery of a prompt is confirmed from its transcript, a few seconds later.
Add them with: trailboss install codex, then: trailboss runtime restart ranch/reviewer`
  expect(hooksWarning(runtimeView('reviewer', { hooks }))).toBe(said)
  expect(text({ hooks })).toContain(`  hooks      missing\n\n${said}`)
  expect(runtimeTable([runtimeView('x', { hooks })], { now: NOW, width: 80 })).toContain('no hooks')
  expect(hooksWarning(runtimeView('reviewer'))).toBeUndefined()
  expect(text({})).not.toContain('hooks')
})

test('somebody typing there is reported, with what that means', () => {
  expect(text({ operatorBusy: true })).toContain('triggers wait until you have done')
})

test('nothing that controls a terminal comes through', () => {
  const hostile = { agent: 'a\u001b[31m/b', target: 'x\u0007:y', cwd: '/\u001b]0;t\u0007d' }
  const shown = text(hostile) + runtimeTable([runtimeView('x', hostile)], { now: NOW, width: 80 })
  expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})

test('a status has its colour, if colours are wanted', () => {
  const paint = (tone: string, cell: string) => `<${tone}:${cell}>`
  expect(runtimeTable(runtimes, { now: NOW, width: 80, paint })).toContain('<bad:failed>')
  expect(text({})).not.toContain('<')
})
