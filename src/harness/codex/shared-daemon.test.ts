import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SharedSession, SharedTerminal } from '../adapter/adapter.ts'
import { background, sharedDaemon } from './shared-daemon.ts'

const T = 1_794_805_464_000

/** An id of a session created at that time. */
const made = (at: number, n = 0) => {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7ac1-956f-${String(n).padStart(12, '0')}`
}
const terminal = (title: string, startedAt = T, ...args: string[]): SharedTerminal => ({
  title,
  startedAt,
  argv: ['codex', ...args],
})
const session = (name?: string, at = T + 60_000, n = 0): SharedSession => ({
  id: made(at, n),
  name,
  cwd: '/home/op/proj',
})

describe('the terminal that shows a session', () => {
  test.each([
    'Fix it | proj',
    '⠹ Fix it | proj',
    '[ ! ] Action Required | Fix it | proj',
    'Fix it',
  ])('is the one with its name in the title: %s', (title) => {
    const [other, right] = [terminal('Deploy it | proj'), terminal(title)]
    expect(sharedDaemon.terminalOf(session('Fix it'), [session('Deploy it')], [other, right])).toBe(
      right,
    )
  })

  test('does not exist if no title has its name: it runs without a terminal', () => {
    expect(
      sharedDaemon.terminalOf(session('Fix it'), [], [terminal('Deploy it | proj')]),
    ).toBeUndefined()
    expect(sharedDaemon.terminalOf(session('Fix it'), [], [terminal('proj')])).toBeUndefined()
    expect(sharedDaemon.terminalOf(session('Fix it'), [], [])).toBeUndefined()
  })

  test('cannot be found by a name that two sessions have', () => {
    const twin = session('Fix it', T + 90_000, 1)
    expect(
      sharedDaemon.terminalOf(session('Fix it'), [twin], [terminal('Fix it | proj')]),
    ).toBeUndefined()
  })

  test('is the one in which it was created, if names are equal or missing', () => {
    const [first, second] = [terminal('proj', T), terminal('⠹ proj', T + 3_000)]
    const [one, two] = [session(undefined, T + 300, 1), session(undefined, T + 3_300, 2)]
    expect(sharedDaemon.terminalOf(one, [two], [first, second])).toBe(first)
    expect(sharedDaemon.terminalOf(two, [one], [first, second])).toBe(second)
    const named = [terminal('Fix it | proj', T), terminal('Fix it | proj', T + 3_000)]
    const twins = [session('Fix it', T + 300, 1), session('Fix it', T + 3_300, 2)]
    expect(sharedDaemon.terminalOf(twins[0]!, [twins[1]!], named)).toBe(named[0])
  })

  test('is the one that was started with it, if another session has the same name', () => {
    const [one, two] = [session('Fix it', T, 1), session('Fix it', T + 90_000, 2)]
    const first = terminal('Fix it | proj', T)
    const resumed = terminal('Fix it | proj', T + 90_000, '--remote', 'unix://', 'resume', two.id)
    expect(sharedDaemon.terminalOf(two, [one], [first, resumed])).toBe(resumed)
    expect(sharedDaemon.terminalOf(one, [two], [first, resumed])).toBe(first)
    expect(sharedDaemon.terminalOf(two, [one], [resumed])).toBeUndefined()
    expect(sharedDaemon.terminalOf(two, [], [first, resumed])).toBeUndefined()
  })

  test('is not one that was started with it and shows something else by now', () => {
    const begun = session('Fix it', T)
    for (const title of ['proj', 'Deploy it | proj']) {
      const left = terminal(title, T + 90_000, 'resume', begun.id)
      expect(sharedDaemon.terminalOf(begun, [], [left])).toBeUndefined()
    }
  })

  test('has not created a session of its own if it was started with another', () => {
    const made = session(undefined, T + 300)
    const resumed = terminal('proj', T, 'resume', session('Fix it', T, 3).id)
    expect(sharedDaemon.terminalOf(made, [], [resumed])).toBeUndefined()
  })

  test('is unknown if a later session may be shown there by now', () => {
    const begunThere = session(undefined, T + 300)
    const later = { id: made(T + 120_000, 1) }
    expect(sharedDaemon.terminalOf(begunThere, [], [terminal('proj')])).toEqual(terminal('proj'))
    expect(sharedDaemon.terminalOf(begunThere, [later], [terminal('proj')])).toBeUndefined()
    expect(
      sharedDaemon.terminalOf({ ...later, cwd: '/home/op/proj' }, [begunThere], [terminal('proj')]),
    ).toBeUndefined()
  })

  test('is unknown if another one is open that may have waited for the daemon', () => {
    const [waiting, young] = [terminal('proj', T), terminal('proj', T + 8_500)]
    const first = session(undefined, T + 8_000, 1)
    expect(sharedDaemon.terminalOf(first, [], [waiting, young])).toBeUndefined()
    const second = session(undefined, T + 9_600, 2)
    expect(sharedDaemon.terminalOf(first, [second], [waiting, young])).toBeUndefined()
    expect(sharedDaemon.terminalOf(second, [first], [waiting, young])).toBeUndefined()
  })

  test('is unknown for a session of another directory, or with an id of another kind', () => {
    const elsewhere = { ...session(undefined, T + 300), cwd: '/home/op/shop' }
    expect(sharedDaemon.terminalOf(elsewhere, [], [terminal('proj')])).toBeUndefined()
    const other = { ...session(), id: '5e551000-0000-4000-8000-000000000001' }
    expect(sharedDaemon.terminalOf(other, [], [terminal('proj')])).toBeUndefined()
  })

  test('is never shared by two sessions', () => {
    const names = fc.option(fc.constantFrom('Fix it', 'Deploy it'), { nil: undefined })
    const times = fc.integer({ min: 0, max: 20 }).map((n) => T + n * 700)
    const sitters = fc.uniqueArray(
      fc
        .tuple(names, times, fc.integer({ min: 0, max: 99 }))
        .map(([name, at, n]) => session(name, at, n)),
      { selector: ({ id }) => id, maxLength: 5 },
    )
    const titles = fc.constantFrom(
      'proj',
      'Fix it | proj',
      '⠹ Deploy it | proj',
      '[ . ] Action Required | proj',
    )
    const terminals = fc.array(
      fc.tuple(titles, times).map(([title, at]) => terminal(title, at)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(sitters, terminals, (all, places) => {
        const taken = all.flatMap(
          (one) =>
            sharedDaemon.terminalOf(
              one,
              all.filter((other) => other !== one),
              places,
            ) ?? [],
        )
        expect(new Set(taken).size).toBe(taken.length)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('the names of sessions are read even if some lines are broken', () => {
  const text =
    '{"id":"a","thread_name":"One"}\nnonsense\n{"id":"b"}\n[]\n{"id":"a","thread_name":"Two"}\n'
  expect([...sharedDaemon.namesIn(text)]).toEqual([['a', 'Two']])
})

test('a lock names its session', () => {
  expect(sharedDaemon.openIn('01a1e2bd-fd08-7ac1-956f-5a1f31aec7ef.lock')).toBe(
    '01a1e2bd-fd08-7ac1-956f-5a1f31aec7ef',
  )
  expect(sharedDaemon.openIn('.lock')).toBeUndefined()
})

const ID = '01a1ee6a-2c5b-77d0-bdee-98079c59a02b'
const SERVER = ['codex', 'app-server', '--listen', 'unix://', '--managed-daemon']

test.each([
  [`/home/op/.codex/sessions/2026/11/18/rollout-${ID}.jsonl`, ['-u', 'CODEX_HOME']],
  [`/home/op/work/codex/sessions/2026/11/18/r.jsonl`, ['CODEX_HOME=/home/op/work/codex']],
  ['/nowhere/r.jsonl', ['-u', 'CODEX_HOME']],
  [undefined, ['-u', 'CODEX_HOME']],
])('a session with the rollout %s is opened with %j', (transcript, place) => {
  const about = { job: ID, program: '/opt/codex', argv: SERVER }
  expect(background.openCommand({ ...about, transcript, home: '/home/op' })).toEqual([
    ...['env', ...place, '/opt/codex', '--remote', 'unix://', 'resume', ID],
  ])
})

test('it is opened where its server listens, with the program in PATH if the file is unknown', () => {
  const argv = ['codex', 'app-server', '--listen', 'unix:///run/op/codex.sock']
  const about = { job: ID, program: undefined, transcript: undefined, home: '/home/op' }
  const command = (argv: string[]) => background.openCommand({ ...about, argv }).slice(3)
  expect(command(argv)).toEqual(['codex', '--remote', 'unix:///run/op/codex.sock', 'resume', ID])
  expect(command([])).toEqual(['codex', '--remote', 'unix://', 'resume', ID])
})
