import { describe, expect, test } from 'vitest'
import { screenOf } from '../screen/screen.ts'
import type { Sight } from '../screen/screen-match.ts'
import type { Shows } from '../screen/screen-rule.ts'
import { COMMON_SIGNALS } from './common-signals.ts'
import type { TriageFacts } from './diagnosis.ts'
import { DEFAULT_PACE } from './interval.ts'
import { type Look, monitorStep, wantsFacts } from './monitor.ts'
import type { MonitorReport } from './report.ts'
import {
  type Attention,
  afterOccasion,
  newWatched,
  type Occasion,
  type Watched,
} from './watched.ts'

const SETTINGS = { pace: DEFAULT_PACE, signalRules: COMMON_SIGNALS }
const SECOND = 1_000
const MINUTE = 60 * SECOND
const ALIVE: TriageFacts = {
  sessionThere: true,
  processAlive: true,
  processState: 'S',
  children: [],
  cpuMsSinceLastLook: 20,
  elapsedMs: 15 * SECOND,
  shellInForeground: false,
}
const GONE = { processAlive: false, processState: undefined, shellInForeground: true }

type Scene = {
  text: string
  shows?: Shows
  ask?: string
  isAlsoAtStart?: true
  facts?: Partial<TriageFacts>
}
type Told = MonitorReport & { at: number }
type Run = {
  scene: (seconds: number) => Scene
  minutes: number
  attention?: Attention
  isHarness?: boolean
  occasions?: [seconds: number, occasion: Occasion][]
}

/** Looks whenever a look is due, on a simulated clock. */
function simulate({ scene, minutes, attention = 'steady', isHarness = true, occasions = [] }: Run) {
  let watched = newWatched({ attention, isHarness }, 0)
  const events: Told[] = []
  const looks: { at: number; watched: Watched }[] = []
  const coming = [...occasions]
  for (let draws = 0; ; draws++) {
    const random = (draws * 0.618) % 1
    const next = coming[0]
    if (next && next[0] * SECOND <= watched.nextLookAt) {
      coming.shift()
      const about = { now: next[0] * SECOND, pace: DEFAULT_PACE, random }
      watched = afterOccasion(watched, next[1], about)
      continue
    }
    const now = watched.nextLookAt
    if (now > minutes * MINUTE)
      return { watched, events, looks, reports: events.map(describeReport) }
    const { facts, ...shown } = scene(now / SECOND)
    const step = monitorStep({
      watched,
      look: lookAt(shown),
      facts:
        wantsFacts(watched) || facts?.processAlive === false ? { ...ALIVE, ...facts } : undefined,
      now,
      random,
      pace: DEFAULT_PACE,
      signalRules: COMMON_SIGNALS,
    })
    watched = step.watched
    looks.push({ at: now, watched })
    if (step.report) events.push({ ...step.report, at: now })
  }
}

function lookAt({ text, shows, ask, isAlsoAtStart }: Scene): Look {
  const sight: Sight | undefined = shows && {
    rule: `${shows} screen`,
    shows,
    ...(ask && { ask }),
    ...(isAlsoAtStart && { isAlsoAtStart }),
  }
  return { screen: screenOf(text), sight }
}

const describeReport = ({ kind, reason, detail }: MonitorReport) =>
  [kind, reason, detail].filter(Boolean).join(' ')

const spinner = (seconds: number) => `✻ Pondering… (${Math.floor(seconds)}s · esc to interrupt)`

/** Ten minutes of a typical working agent: reads, thinks, edits, tests, builds in silence. */
function agentAtWork(seconds: number): Scene {
  const minute = Math.floor(seconds / 60)
  const done = Array.from({ length: minute }, (_, n) => `● Update(src/file-${n}.ts)`).join('\n')
  const now =
    minute % 3 === 0
      ? '● Read(src/main.ts)'
      : minute % 3 === 1
        ? '● Bash(npm test)'
        : '● Bash(cargo build)'
  return { text: `${done}\n${now}\n${spinner(seconds)}`, shows: 'working' }
}

test('a screen that looks the same at the start counts after work, and not before', () => {
  const ready = { text: '> ', shows: 'idle', isAlsoAtStart: true } as const
  const scene = (at: number): Scene =>
    at > 20 && at < 40 ? { text: `Hm.\n${spinner(at)}`, shows: 'working' } : ready
  const { events, reports } = simulate({ scene, minutes: 2, attention: 'fresh' })
  expect(reports).toEqual(['unstuck working screen', 'stuck stopped idle screen'])
  expect(events[0]?.at).toBeGreaterThan(20 * SECOND)
})

describe('no false stall', () => {
  test.each<Attention>(['steady', 'fresh'])(
    'in ten minutes of a working agent, %s',
    (attention) => {
      const { reports, looks } = simulate({ scene: agentAtWork, minutes: 10, attention })
      expect(reports).toEqual(['unstuck working screen'])
      expect(looks.length).toBeGreaterThan(5)
    },
  )

  test('while it thinks for ten minutes and only its spinner moves', () => {
    const scene = (at: number) => ({ text: `Hm.\n${spinner(at)}`, shows: 'working' as const })
    const { reports, watched } = simulate({ scene, minutes: 10 })
    expect(reports).toEqual(['unstuck working screen'])
    expect(watched.stall.stage).toBe('confirmed')
    expect(watched.diagnosis?.kind).toBe('thinking')
  })

  test('while it compiles silently for ten minutes', () => {
    const facts = { children: [{ pid: 9, name: 'cc1plus', cpuMs: 14_000, state: 'R' }] }
    const scene = () => ({ text: '$ make -j4\ng++ -O2 -c all.cc', facts })
    const { reports, watched } = simulate({ scene, minutes: 10, isHarness: false })
    expect(reports).toEqual([])
    expect(watched.diagnosis?.kind).toBe('working')
    expect(watched.pacing.signal).toBe('build')
  })

  test('while a child waits for the disk', () => {
    const facts = { children: [{ pid: 9, name: 'tar', cpuMs: 0, state: 'D' }] }
    const { reports, watched } = simulate({
      scene: () => ({ text: 'Unpacking', facts }),
      minutes: 10,
    })
    expect(reports).toEqual([])
    expect(watched.diagnosis?.kind).toBe('slow')
  })

  test('while nobody can see whether it uses CPU', () => {
    const scene = () => ({ text: 'Unpacking', facts: { cpuMsSinceLastLook: undefined } })
    expect(simulate({ scene, minutes: 10 }).reports).toEqual([])
  })
})

describe('a program that hangs in the middle of its output', () => {
  const text = '● Update(src/main.ts)\n  12 +  const half'
  const scene = (at: number) => ({
    text: at < 60 ? `${text}${at}` : text,
    shows: 'working' as const,
  })

  test('is in the queue after three matching looks, with its frozen screen', () => {
    const { events, looks } = simulate({ scene, minutes: 8 })
    const [, stall] = events
    expect(events.map(describeReport)).toEqual([
      'unstuck working screen',
      'stuck stopped stalled: hung',
    ])
    expect(stall?.ask?.text).toMatch(
      /^Its screen has not changed for .*\n\n● Update.*\n.*const half$/,
    )
    const alike = looks.find(({ at }) => at === stall?.at)?.watched.stall.alike
    expect(alike).toBe(3)
  })

  test('is looked at every 15 to 20 s for a minute, and then as often as any quiet program', () => {
    const { events, looks } = simulate({ scene, minutes: 12 })
    const since = looks.filter(({ at }) => at >= (events[1]?.at ?? 0))
    const pauses = since.slice(1).map(({ at }, n) => at - (since[n]?.at ?? 0))
    const [close, calm] = [pauses.slice(0, 3), pauses.slice(3)]
    expect(close.every((ms) => ms >= 15 * SECOND && ms <= 20 * SECOND)).toBe(true)
    expect(calm.length).toBeGreaterThan(3)
    expect(calm.every((ms) => ms >= 45 * SECOND && ms <= 60 * SECOND)).toBe(true)
  })

  test('leaves the queue when it moves again', () => {
    const goesOn = (at: number) =>
      at < 400 ? scene(at) : { ...scene(at), text: `${text} and on ${at}` }
    expect(simulate({ scene: goesOn, minutes: 8 }).reports).toEqual([
      'unstuck working screen',
      'stuck stopped stalled: hung',
      'unstuck working screen',
    ])
  })

  test('leaves the queue when it moves again, even if no rule knows its screen', () => {
    const goesOn = (at: number) => (at < 400 ? scene(at) : { text: `${text} and on ${at}` })
    expect(simulate({ scene: goesOn, minutes: 8 }).reports.slice(1, 3)).toEqual([
      'stuck stopped stalled: hung',
      'unstuck it moves again',
    ])
  })

  test('leaves the queue when its children turn out to work', () => {
    const facts = { children: [{ pid: 9, name: 'cc1plus', cpuMs: 9_000 }] }
    const goesOn = (at: number) => ({ text: 'g++', ...(at > 400 && { facts }) })
    expect(simulate({ scene: goesOn, minutes: 12, isHarness: false }).reports).toEqual([
      'stuck stopped stalled: hung',
      'unstuck It prints nothing, but its child cc1plus (9) uses the CPU.',
    ])
  })

  test('does not become a stall sooner because of more frequent looks', () => {
    const { events, looks } = simulate({ scene, minutes: 8, attention: 'fresh' })
    const stall = events.find(({ kind }) => kind === 'stuck')
    expect(stall?.at).toBeGreaterThan(60 * SECOND + 3 * 30 * SECOND)
    expect(looks.filter(({ at }) => at < 60 * SECOND).length).toBeGreaterThan(30)
  })
})

describe('the end', () => {
  const scene = (last: string, facts: Partial<TriageFacts>) => (at: number) =>
    at < 60 ? agentAtWork(at) : { text: `…\n${last}\n$`, shows: 'finished' as const, facts }

  test('a crash is reported with its last words', () => {
    const { events } = simulate({
      scene: scene('Segmentation fault (core dumped)', GONE),
      minutes: 5,
    })
    expect(events.at(-1)).toMatchObject({ kind: 'ended', source: 'process' })
    expect(events.at(-1)?.detail).toMatch(/Segmentation fault/)
  })

  test('a program that returned to its shell has exited', () => {
    const { watched, reports } = simulate({ scene: scene('Bye.', GONE), minutes: 5 })
    expect(watched.diagnosis?.kind).toBe('exited')
    expect(reports).toHaveLength(2)
  })

  test('a shell prompt alone is no end while the process lives', () => {
    const { events } = simulate({ scene: scene('Bye.', {}), minutes: 2 })
    expect(events.every(({ kind }) => kind !== 'ended')).toBe(true)
  })

  test('a pane that is gone is reported, although there is nothing to look at', () => {
    const watched = newWatched({ attention: 'steady', isHarness: true }, 0)
    const facts = { ...ALIVE, ...GONE, sessionThere: false, shellInForeground: false }
    const about = { watched, look: undefined, facts, now: 0, random: 0.5, ...SETTINGS }
    expect(monitorStep(about).report).toMatchObject({ kind: 'ended' })
  })
})

describe('what the rules see', () => {
  test('a dialog is reported at once, with its ask, and once', () => {
    const scene = () => ({ text: 'Run it?', shows: 'dialog' as const, ask: 'Run it?' })
    const { events, watched } = simulate({ scene, minutes: 10 })
    expect(events).toEqual([
      {
        at: 0,
        kind: 'stuck',
        source: 'screen',
        reason: 'permission',
        ask: { text: 'Run it?' },
        detail: 'dialog screen',
      },
    ])
    expect(watched.pacing.signal).toBe('question')
  })

  test('another dialog in the same place is reported again', () => {
    const scene = (at: number) => {
      const ask = at < 100 ? 'Run it?' : 'Delete it?'
      return { text: ask, shows: 'dialog' as const, ask }
    }
    const { events } = simulate({ scene, minutes: 5 })
    expect(events.map(({ ask }) => ask?.text)).toEqual(['Run it?', 'Delete it?'])
  })

  test.each<Shows>(['idle', 'failed'])('%s counts when it stays for a second look', (shows) => {
    const { events } = simulate({ scene: () => ({ text: '>', shows, ask: 'Done.' }), minutes: 1 })
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ kind: 'stuck', reason: 'stopped', ask: { text: 'Done.' } })
    expect(events[0]?.at).toBeGreaterThanOrEqual(1 * SECOND)
    expect(events[0]?.at).toBeLessThanOrEqual(2 * SECOND)
  })

  test('an idle program is never a stall, however long it waits', () => {
    const scene = () => ({ text: '>', shows: 'idle' as const })
    const { reports, looks } = simulate({ scene, minutes: 30 })
    expect(reports).toEqual(['stuck stopped idle screen'])
    expect(looks.length).toBeLessThan(60)
  })

  test('a screen that no rule knows any more makes it unclear, if it stays that way', () => {
    const scene = (at: number) =>
      at < 60 ? { text: 'Run it?', shows: 'dialog' as const } : { text: 'something else' }
    const { reports, looks, events } = simulate({ scene, minutes: 2 })
    expect(reports).toEqual(['stuck permission dialog screen', 'seen the screen says nothing'])
    const first = looks.find(({ at }) => at >= 60 * SECOND)?.at ?? 0
    expect((events[1]?.at ?? 0) - first).toBe(DEFAULT_PACE.leastMs)
  })

  test('without any rule a moving screen is work, and one that stands still is asked about', () => {
    const scene = (at: number) => ({ text: at < 100 ? `line ${Math.floor(at)}` : '>>>' })
    expect(simulate({ scene, minutes: 8, isHarness: false }).reports).toEqual([
      'unstuck its screen moves',
      'stuck stopped stalled: hung',
    ])
  })
})

describe('the fresh pace', () => {
  const dialogAfter =
    (seconds: number) =>
    (at: number): Scene =>
      at < seconds ? agentAtWork(at) : { text: 'Run it?', shows: 'dialog', ask: 'Run it?' }

  test('sees a wait within two seconds if the screen is the only source', () => {
    for (const seconds of [17, 100.5, 333]) {
      const { events } = simulate({ scene: dialogAfter(seconds), minutes: 8, attention: 'fresh' })
      const wait = events.find(({ kind }) => kind === 'stuck')
      expect(wait?.at).toBeLessThanOrEqual((seconds + 2) * SECOND)
    }
  })

  test('backs off once nothing moves, down to the interval of the signal', () => {
    const scene = dialogAfter(0)
    const { looks } = simulate({ scene, minutes: 60, attention: 'fresh' })
    expect(looks.length).toBeLessThan(2 * 60 + 10)
  })

  test.each<Occasion>([
    { kind: 'hook' },
    { kind: 'title', title: 'Action Required' },
    { kind: 'output' },
  ])('an occasion ($kind) makes a look happen now, even for a steady one', (occasion) => {
    const run = { scene: dialogAfter(100), minutes: 8, occasions: [[101, occasion]] } as const
    const { events } = simulate({ ...run, occasions: [[101, occasion]] })
    expect(events.find(({ kind }) => kind === 'stuck')?.at).toBe(101 * SECOND)
  })

  test('a title in which only a spinner turns is no occasion', () => {
    const watched = simulate({ scene: () => ({ text: 'a' }), minutes: 1 }).watched
    const about = { now: MINUTE, pace: DEFAULT_PACE, random: 0.5 }
    expect(afterOccasion(watched, { kind: 'title', title: '⠋' }, about)).toBe(watched)
  })

  test('after a hook it reports again what the screen shows', () => {
    const { events } = simulate({
      scene: dialogAfter(0),
      minutes: 2,
      occasions: [[60, { kind: 'hook' }]],
    })
    expect(events.map(({ at }) => at)).toEqual([0, 60 * SECOND])
  })
})

describe('a prompt that was given', () => {
  test('is followed by a look within 10 to 15 s, and again until the program works', () => {
    const occasions: Run['occasions'] = [[50, { kind: 'dispatched' }]]
    const scene = (at: number): Scene => (at < 90 ? { text: '>' } : agentAtWork(at))
    const { looks } = simulate({ scene, minutes: 5, occasions })
    const [first, second] = looks.filter(({ at }) => at > 50 * SECOND)
    expect(first?.at).toBeGreaterThanOrEqual(60 * SECOND)
    expect(first?.at).toBeLessThanOrEqual(65 * SECOND)
    expect(second?.watched.pacing.signal).toBe('dispatched')
    expect(looks.at(-1)?.watched.pacing.signal).not.toBe('dispatched')
  })
})

test('a program that does not take its prompt is watched like any other after three tries', () => {
  const occasions: Run['occasions'] = [[50, { kind: 'dispatched' }]]
  const { looks } = simulate({ scene: () => ({ text: '>' }), minutes: 5, occasions })
  const tries = looks.filter(({ watched }) => watched.pacing.signal === 'dispatched')
  expect(tries).toHaveLength(3)
  expect(looks.at(-1)?.watched.pacing.signal).toBe('quiet')
})

test('standing still before a prompt does not count after it', () => {
  const occasions: Run['occasions'] = [[120, { kind: 'dispatched' }]]
  const { looks } = simulate({ scene: () => ({ text: '>' }), minutes: 4, occasions })
  const [before] = looks.filter(({ at }) => at < 120 * SECOND).slice(-1)
  const [after] = looks.filter(({ at }) => at > 120 * SECOND)
  expect(before?.watched.stall.alike).toBeGreaterThan(1)
  expect(after?.watched.stall.alike).toBe(1)
})

test('a failed look at a pane says nothing, and counts for nothing', () => {
  const before = simulate({ scene: () => ({ text: 'a' }), minutes: 2 }).watched
  const now = before.nextLookAt
  const about = { watched: before, look: undefined, now, random: 0.5, ...SETTINGS }
  const { watched, report } = monitorStep(about)
  expect(report).toBeUndefined()
  expect(watched.stall).toEqual(before.stall)
  expect(watched.nextLookAt).toBeGreaterThan(now)
})
