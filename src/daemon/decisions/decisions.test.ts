import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { DecisionBody } from '../../contract/decision.ts'
import { createEscalations } from '../../supervisor/context/escalations.ts'
import { decisionIds, decisionItems } from './decision-items.ts'
import { Decisions } from './decisions.ts'

let world: TestHerd
let decisions: Decisions
let failures: unknown[]
let isDiskFull: boolean

beforeEach(() => {
  world = createTestHerd()
  failures = []
  isDiskFull = false
  decisions = created()
  decisions.start()
})
afterEach(() => {
  vi.useRealTimers()
  decisions[Symbol.dispose]()
  world[Symbol.dispose]()
})

/** As after a restart: with what is stored and nothing else. */
function created(): Decisions {
  const { herd, store } = world
  const escalations = createEscalations(herd)
  const whileThereIsSpace = <Args extends unknown[]>(write: (...args: Args) => void) => {
    return (...args: Args) => {
      if (isDiskFull) throw new Error('no space left')
      write(...args)
    }
  }
  return new Decisions({
    db: store.db,
    escalations: {
      ...escalations,
      raise: whileThereIsSpace(escalations.raise),
      end: whileThereIsSpace(escalations.end),
    },
    listed: () => decisionIds(herd.current()),
    touch: () => herd.touch(),
    failed: (error) => failures.push(error),
  })
}

const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
let asked = 0
const body = (more: Partial<DecisionBody> = {}): DecisionBody => ({
  v: 1,
  id: `decision-${++asked}`,
  asker: { name: 'tester', id: 'tester' },
  tool: 'Bash',
  input: { command: 'ls' },
  ...more,
})
const open = () => new AbortController().signal
const stored = () => world.store.db.prepare('SELECT record FROM decisions').all()

describe('an answer', () => {
  test('reaches its asker, and the item is gone', async () => {
    const request = body()
    const outcome = decisions.ask(request, open())
    expect(world.queue()).toEqual([`decision-${request.id}`])
    decisions.answer(request.id, { choice: 'allow', by: 'op' })
    expect(await outcome).toEqual({
      ...{ id: request.id, outcome: 'answered', choice: 'allow', by: 'operator:op' },
    })
    expect(world.queue()).toEqual([])
  })

  test('of two, the first counts', () => {
    const request = body()
    void decisions.ask(request, open())
    decisions.answer(request.id, { choice: 'deny', by: 'first' })
    expect(() => decisions.answer(request.id, { choice: 'allow', by: 'second' })).toThrow(
      'It was answered already: deny, by operator:first.',
    )
  })

  test('is kept for an asker that comes back after it', async () => {
    const request = body()
    const lost = new AbortController()
    void decisions.ask(request, lost.signal)
    lost.abort()
    decisions.answer(request.id, { choice: 'allow' })
    expect(await decisions.ask(request, open())).toMatchObject({ choice: 'allow' })
  })

  test('that is not one of its answers is refused, and changes nothing', () => {
    const request = body()
    void decisions.ask(request, open())
    expect(() => decisions.answer(request.id, { choice: 'perhaps' })).toThrow('"allow" or "deny"')
    expect(decisions.view(request.id).state).toBe('pending')
  })

  test('to nothing is refused', () => {
    expect(() => decisions.answer('nobody-asked', { choice: 'allow' })).toThrow('no decision')
  })

  test('is audited with who and what', () => {
    const request = body()
    void decisions.ask(request, open())
    decisions.answer(request.id, { choice: 'deny', message: `no ${SECRET}`, by: 'op' })
    const rows = world.store.db.prepare('SELECT kind, actor, result, detail FROM audit').all()
    expect(rows).toMatchObject([
      { kind: 'decision_asked', actor: 'tester' },
      { kind: 'decision_answered', actor: 'operator:op', result: 'deny' },
    ])
    expect(rows[1]?.['detail']).toContain('tester asks to use Bash: deny: no [redacted]')
  })
})

describe('a decision is withdrawn', () => {
  test('at its deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const request = body({ deadline: Date.now() + 60_000 })
    const outcome = decisions.ask(request, open())
    vi.advanceTimersByTime(60_001)
    expect(await outcome).toEqual({ id: request.id, outcome: 'withdrawn', why: 'deadline' })
    expect(world.queue()).toEqual([])
    expect(() => decisions.answer(request.id, { choice: 'allow' })).toThrow('deadline has passed')
  })

  test('at its deadline, also if the machine slept through it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const request = body({ deadline: Date.now() + 60_000 })
    const outcome = decisions.ask(request, open())
    vi.setSystemTime(Date.now() + 60_001)
    expect(() => decisions.answer(request.id, { choice: 'allow' })).toThrow('deadline has passed')
    expect(await outcome).toMatchObject({ outcome: 'withdrawn', why: 'deadline' })
  })

  test('as soon as that can be stored, and not before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const request = body({ deadline: Date.now() + 60_000 })
    const outcome = decisions.ask(request, open())
    world.store.db.exec('PRAGMA query_only = 1')
    vi.advanceTimersByTime(61_000)
    expect(failures.length).toBeGreaterThan(0)
    expect(world.queue()).toHaveLength(1)
    world.store.db.exec('PRAGMA query_only = 0')
    vi.advanceTimersByTime(5_000)
    expect(await outcome).toMatchObject({ outcome: 'withdrawn', why: 'deadline' })
    expect(world.queue()).toEqual([])
  })

  test('when its asker is gone and stays away', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const request = body()
    const lost = new AbortController()
    void decisions.ask(request, lost.signal)
    lost.abort()
    expect(world.queue()).toHaveLength(1)
    vi.advanceTimersByTime(2_001)
    expect(world.queue()).toEqual([])
    expect(decisions.view(request.id)).toMatchObject({ withdrawn: { why: 'asker-gone' } })
  })

  test('but not if it comes back in time, or another connection waits', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const request = body()
    const [lost, other] = [new AbortController(), new AbortController()]
    void decisions.ask(request, lost.signal)
    void decisions.ask(request, other.signal)
    lost.abort()
    vi.advanceTimersByTime(5_000)
    expect(world.queue()).toHaveLength(1)
    other.abort()
    vi.advanceTimersByTime(1_000)
    void decisions.ask(request, open())
    vi.advanceTimersByTime(60_000)
    expect(world.queue()).toHaveLength(1)
  })

  test('and asked again by an asker that was away too long', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const request = body()
    const lost = new AbortController()
    void decisions.ask(request, lost.signal)
    lost.abort()
    vi.advanceTimersByTime(3_000)
    expect(world.queue()).toEqual([])
    void decisions.ask(request, open())
    expect(world.queue()).toEqual([`decision-${request.id}`])
  })
})

test('of what nobody answered, the newest thousand are kept; answers stay', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const answered = body()
  void decisions.ask(answered, open())
  decisions.answer(answered.id, { choice: 'deny' })
  for (let count = 0; count < 1_050; count++) {
    vi.setSystemTime(Date.now() + 1_000)
    const lost = new AbortController()
    void decisions.ask(body(), lost.signal)
    lost.abort()
    vi.advanceTimersByTime(2_001)
  }
  void decisions.ask(body(), open())
  expect(stored()).toHaveLength(1 + 1_000 + 1)
  expect(decisions.view(answered.id).answer).toMatchObject({ choice: 'deny' })
})

describe('a disk that is full', () => {
  test('delays the item of what was asked, and loses nothing', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    isDiskFull = true
    const request = body()
    void decisions.ask(request, open())
    expect([world.queue(), failures.length]).toEqual([[], 1])
    isDiskFull = false
    vi.advanceTimersByTime(5_000)
    expect(world.queue()).toEqual([`decision-${request.id}`])
  })

  test('delays the end of its item, and the next one comes with it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [first, second] = [body(), body()]
    const outcome = decisions.ask(first, open())
    void decisions.ask(second, open())
    isDiskFull = true
    decisions.answer(first.id, { choice: 'allow' })
    expect(await outcome).toMatchObject({ choice: 'allow' })
    expect(world.queue()).toEqual([`decision-${first.id}`])
    isDiskFull = false
    vi.advanceTimersByTime(5_000)
    expect(world.queue()).toEqual([`decision-${second.id}`])
  })

  test('does not keep a daemon from starting', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    void decisions.ask(body(), open())
    world.store.db.exec('DELETE FROM decisions')
    isDiskFull = true
    world.store.db.exec('PRAGMA query_only = 1')
    decisions[Symbol.dispose]()
    decisions = created()
    decisions.start()
    expect(world.queue()).toHaveLength(1)
    isDiskFull = false
    world.store.db.exec('PRAGMA query_only = 0')
    vi.advanceTimersByTime(5_000)
    expect(world.queue()).toEqual([])
  })
})

describe('a clock that is set back', () => {
  const hourBack = () => vi.setSystemTime(Date.now() - 3_600_000)

  test('gives an asker no second item', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [first, second] = [body(), body()]
    void decisions.ask(first, open())
    hourBack()
    void decisions.ask(second, open())
    expect(world.queue()).toEqual([`decision-${first.id}`])
  })

  test('does not count what was asked before it', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const askAndDeny = () => {
      const request = body()
      void decisions.ask(request, open())
      decisions.answer(request.id, { choice: 'deny' })
    }
    for (let count = 0; count < 100; count++) askAndDeny()
    expect(askAndDeny).toThrow('asked 100 questions')
    hourBack()
    expect(askAndDeny).not.toThrow()
  })
})

test('an item says whether it has only the beginning of what is asked', () => {
  const cutOf = (id: string) => {
    const item = world.herd.queue().find(({ about }) => about?.id === id)
    return item && decisionItems(decisions, {})(item)?.decision?.cut
  }
  const long = body({ input: { a: 'x'.repeat(16_000), command: 'ls' } })
  const short = body({ asker: { name: 'other' } })
  for (const request of [long, short]) void decisions.ask(request, open())
  expect([cutOf(long.id), cutOf(short.id)]).toEqual([true, undefined])
})

test('nothing that is asked hides on a terminal', () => {
  const request = body({ input: { command: 'ls # \u001b]0;\nrm -rf ~\u0007\u202e' } })
  void decisions.ask(request, open())
  const shown = 'Bash\ncommand:\n  ls # ␛]0;\n  rm -rf ~␇<U+202E>'
  expect(decisions.view(request.id).text).toBe(shown)
  const [waiting] = world.herd.queue()
  expect(waiting && decisionItems(decisions, {})(waiting)?.ask?.text).toBe(shown)
})

describe('after a restart', () => {
  function restart(): void {
    decisions[Symbol.dispose]()
    decisions = created()
    decisions.start()
  }

  test('it is listed at its old place, and its asker gets the answer given meanwhile', async () => {
    const request = body()
    void decisions.ask(request, open())
    const before = world.herd.queue()[0]?.item
    restart()
    expect(world.herd.queue()[0]?.item).toEqual(before)
    decisions.answer(request.id, { choice: 'allow' })
    expect(await decisions.ask(request, open())).toMatchObject({ choice: 'allow' })
  })

  test('an asker that never comes back is not waited for', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    void decisions.ask(body(), open())
    restart()
    vi.advanceTimersByTime(29_000)
    expect(world.queue()).toHaveLength(1)
    vi.advanceTimersByTime(2_000)
    expect(world.queue()).toEqual([])
  })

  test('its input can be changed only when its asker is back, because only that one has all of it', () => {
    const request = body({ input: { command: `echo ${SECRET}` } })
    void decisions.ask(request, open())
    restart()
    expect(decisions.view(request.id).text).toContain('echo [redacted]')
    const change = { choice: 'allow', input: { command: 'true' } }
    expect(() => decisions.answer(request.id, change)).toThrow('not connected')
    void decisions.ask(request, open())
    expect(decisions.view(request.id).text).toContain(SECRET)
    expect(decisions.answer(request.id, change).answer).toMatchObject({ changed: true })
  })

  test('what is known only in part is not allowed until its asker is back, but may be denied', () => {
    const requests = [body({ input: { a: 'x'.repeat(16_001), command: 'ls' } }), body()]
    const [long, short] = requests.map(({ id }) => id) as [string, string]
    for (const request of requests) void decisions.ask(request, open())
    restart()
    expect([decisions.view(long).cut, decisions.view(short).cut]).toEqual([true, false])
    expect(() => decisions.answer(long, { choice: 'allow' })).toThrow('only the beginning')
    void decisions.ask(requests[0] as DecisionBody, open())
    expect(decisions.view(long).cut).toBe(false)
    restart()
    expect(decisions.answer(long, { choice: 'deny' })).toMatchObject({ state: 'answered' })
    expect(decisions.answer(short, { choice: 'allow' })).toMatchObject({ state: 'answered' })
  })

  test('an item whose decision was settled just before is ended', () => {
    const request = body()
    void decisions.ask(request, open())
    world.store.db.exec('DELETE FROM decisions')
    restart()
    expect(world.queue()).toEqual([])
  })
})

describe('one asker', () => {
  test('has one item; the next comes when the first is settled, where it was asked', async () => {
    const [first, second] = [body(), body()]
    void decisions.ask(first, open())
    await delay(2)
    void decisions.ask(second, open())
    await delay(2)
    void decisions.ask(body({ asker: { name: 'other' } }), open())
    expect(world.queue()).toEqual([`decision-${first.id}`, expect.stringMatching(/^decision-/)])
    expect(decisions.view(first.id).more).toBe(1)
    decisions.answer(first.id, { choice: 'allow' })
    expect(world.queue()[0]).toBe(`decision-${second.id}`)
  })

  test('may wait for 50 answers, and others still can ask', () => {
    for (let count = 0; count < 50; count++) void decisions.ask(body(), open())
    expect(() => decisions.ask(body(), open())).toThrow('waits for 50 answers already')
    void decisions.ask(body({ asker: { name: 'other' } }), open())
    expect(world.queue()).toHaveLength(2)
  })

  test('may ask 100 times in ten seconds', () => {
    for (let count = 0; count < 100; count++) {
      const request = body()
      void decisions.ask(request, open())
      decisions.answer(request.id, { choice: 'deny' })
    }
    expect(() => decisions.ask(body(), open())).toThrow('asked 100 questions within 10 s')
  })

  test('cannot reuse an id for something else', () => {
    const request = body()
    void decisions.ask(request, open())
    expect(() => decisions.ask({ ...request, tool: 'Write' }, open())).toThrow('something else')
  })
})

describe('secrets', () => {
  const all = () => {
    const wal = `${world.dir}/trailboss.db-wal`
    return `${readFileSync(`${world.dir}/trailboss.db`)}${readFileSync(wal)}`
  }

  test('are shown while the asker waits, and never stored', () => {
    const request = body({ input: { command: `echo ${SECRET}` } })
    void decisions.ask(request, open())
    expect(decisions.view(request.id).text).toContain(SECRET)
    decisions.answer(request.id, { choice: 'allow' })
    expect(decisions.view(request.id).text).toContain('[redacted]')
    expect(all()).not.toContain(SECRET)
  })

  test('in what surrounds a question are not stored either', () => {
    const surrounded = {
      asker: { name: `bot ${SECRET}`, cwd: `/srv/${SECRET}` },
      ...{ tool: undefined, input: undefined, question: 'Which?', options: [SECRET, 'none'] },
    }
    const request = body(surrounded)
    void decisions.ask(request, open())
    expect(decisions.view(request.id).options).toEqual([SECRET, 'none'])
    decisions.answer(request.id, { choice: SECRET })
    decisions.taken(request.id)
    expect(JSON.stringify(stored())).not.toContain(SECRET)
  })

  test('in a changed input are gone when the asker has it', async () => {
    const request = body()
    const outcome = decisions.ask(request, open())
    decisions.answer(request.id, { choice: 'allow', input: { command: `echo ${SECRET}` } })
    expect(await outcome).toMatchObject({ input: { command: `echo ${SECRET}` } })
    decisions.taken(request.id)
    await delay(1)
    expect(all()).not.toContain(SECRET)
    expect(decisions.view(request.id).answer).toMatchObject({ changed: true })
  })
})

test('an answer that is not kept whole any more is refused, not given in part', async () => {
  const request = body()
  void decisions.ask(request, open())
  decisions.answer(request.id, { choice: 'allow', input: { command: 'true' } })
  decisions.taken(request.id)
  expect(() => decisions.ask(request, open())).toThrow('given already, and is not kept')
})

test('a message loses its secrets when its asker has it', () => {
  const request = body()
  void decisions.ask(request, open())
  decisions.answer(request.id, { choice: 'deny', message: `Use ${SECRET}` })
  expect(decisions.view(request.id).answer?.message).toBe(`Use ${SECRET}`)
  decisions.taken(request.id)
  expect(decisions.view(request.id).answer?.message).toBe('Use [redacted]')
})

test('an input that was an object stays one', () => {
  const request = body()
  void decisions.ask(request, open())
  const change = () => decisions.answer(request.id, { choice: 'allow', input: 'ls' })
  expect(change).toThrow('must stay one')
  expect(world.queue()).toHaveLength(1)
})

test('ten megabytes are asked whole, listed short and stored short', () => {
  const request = body({ input: { content: 'x'.repeat(10_000_000) } })
  void decisions.ask(request, open())
  expect(decisions.view(request.id).text.length).toBeGreaterThan(10_000_000)
  expect(JSON.stringify(decisions.list()).length).toBeLessThan(2_000)
  expect(JSON.stringify(stored()).length).toBeLessThan(20_000)
})
