import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventsKnownTo, HOOK_EVENTS, isOlder, OLDEST_LIKELY_VERSION } from './hook-events.ts'

test('we register exactly the hooks that the adapter understands', () => {
  const source = readFileSync(new URL('../hook.ts', import.meta.url), 'utf8')
  const understood = [...source.matchAll(/^ {4}case '([A-Z]\w+)':/gm)].map(([, name]) => name)
  expect(understood.toSorted()).toEqual(HOOK_EVENTS.toSorted())
})

test('a version gets only the hooks that it knows', () => {
  expect(eventsKnownTo('2.1.325')).toEqual(HOOK_EVENTS)
  const left = (version: string) =>
    HOOK_EVENTS.filter((event) => !eventsKnownTo(version).includes(event))
  expect(left('2.1.77')).toEqual(['StopFailure'])
  expect(left(OLDEST_LIKELY_VERSION)).toEqual(['StopFailure', 'Elicitation', 'ElicitationResult'])
  expect(eventsKnownTo('1.0.22')).toEqual([])
})

test('versions are compared by their numbers', () => {
  expect(isOlder('2.1.9', '2.1.10')).toBe(true)
  expect(isOlder('2.1.10', '2.1.9')).toBe(false)
  expect(isOlder('2.1.78', '2.1.78')).toBe(false)
  expect(isOlder('1.9.99', '2.0.0')).toBe(true)
  expect(isOlder('2.1.78-beta.1', '2.1.78')).toBe(false)
})
