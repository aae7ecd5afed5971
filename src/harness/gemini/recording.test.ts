import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/session/event.ts'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'
import { transcriptReader } from './transcript.ts'

/** One session, in the order in which it was recorded. */
const SCENES = [
  ...['started', 'turn', 'approved', 'denied', 'file-written', 'question'],
  ...['interrupted', 'failed', 'ended'],
] as const
type Scene = (typeof SCENES)[number]

type Line = { at: number; hook?: Record<string, unknown>; record?: unknown }
type Told = { scene: Scene; events: AgentEvent[] }

const recorded = eventsOf(SCENES)

describe('after each scene of the recorded session', () => {
  test.each<[Scene, object]>([
    ['started', { state: 'unknown' }],
    ['turn', { state: 'stuck', reason: 'stopped', ask: { text: 'Recorded.' } }],
    ['approved', { state: 'stuck', reason: 'stopped', ask: { text: 'One moment.\nApproved.' } }],
    ['denied', { state: 'stuck', reason: 'stopped', ask: { text: 'Interrupted by you.' } }],
    ['file-written', { state: 'stuck', reason: 'stopped' }],
    ['question', { state: 'stuck', reason: 'stopped' }],
    ['interrupted', { state: 'stuck', reason: 'stopped', ask: { text: 'Interrupted by you.' } }],
    ['failed', { state: 'stuck', ask: { text: 'API error: 400 no such model' } }],
    ['ended', { state: 'ended' }],
  ])('%s', (scene, expected) => {
    const until = recorded.findLastIndex((line) => line.scene === scene) + 1
    expect(verdictAfter(recorded.slice(0, until))).toMatchObject(expected)
  })

  test('without the transcript, a denied permission would stay open forever', () => {
    const until = recorded.findLastIndex((line) => line.scene === 'denied') + 1
    const hooks = recorded.slice(0, until).map((line) => ({
      ...line,
      events: line.events.filter(({ source }) => source === 'hook'),
    }))
    expect(verdictAfter(hooks)).toMatchObject({ state: 'stuck', reason: 'permission' })
  })
})

describe('while it asks', () => {
  test.each<[Scene, string]>([
    ['approved', 'touch approved'],
    ['denied', 'touch denied'],
    ['file-written', '+one'],
    ['question', 'Which?\n  1. This: Choose This'],
  ])('%s: the ask has %j', (scene, text) => {
    const asks = recorded.map((_, index) => verdictAfter(recorded.slice(0, index + 1)))
    const asked = asks.filter(
      (verdict, index) =>
        recorded[index]?.scene === scene &&
        verdict.state === 'stuck' &&
        verdict.reason === 'permission',
    )
    expect(asked.length).toBeGreaterThan(0)
    for (const verdict of asked)
      expect(verdict).toMatchObject({ ask: { text: expect.stringContaining(text) } })
  })
})

test('hooks and records lead to the same end in any order', () => {
  const events = recorded.flatMap((line) => line.events)
  const back = events.toReversed().reduce(withEvent, noEvidence)
  expect(verdictOf(back)).toEqual(verdictOf(events.reduce(withEvent, noEvidence)))
})

function verdictAfter(lines: Told[]) {
  return verdictOf(lines.flatMap(({ events }) => events).reduce(withEvent, noEvidence))
}

function eventsOf(scenes: readonly Scene[]): Told[] {
  let state = transcriptReader.start('recorded')
  return scenes.flatMap((scene) =>
    linesOf(scene).map(({ at, hook, record }) => {
      if (hook) return { scene, events: hookEvents({ at, payload: hook }) }
      const read = transcriptReader.read(state, record)
      state = read.state
      return { scene, events: read.event ? [read.event] : [] }
    }),
  )
}

function linesOf(scene: Scene): Line[] {
  const file = new URL(`../../../test/fixtures/gemini/0.61.0/${scene}.jsonl`, import.meta.url)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Line)
}
