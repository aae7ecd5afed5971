import { readdirSync, readFileSync } from 'node:fs'
import type { Screen } from '../../src/core/screen/screen.ts'

export type RecordedScreen = Screen & {
  state: 'waiting' | 'working' | 'stalled' | 'finished'
  reason?: 'permission' | 'stopped'
  note: string
  terminal?: string
}

/** Those with an odd number. The others are held back: `bench/screens` uses them to judge the rules. */
export function recordedScreens(
  harness: string,
  version: string,
): [name: string, screen: RecordedScreen][] {
  const place = new URL(`../fixtures/screens/${harness}/${version}/`, import.meta.url)
  return readdirSync(place)
    .filter((name) => /--\d*[13579]\.json$/.test(name))
    .map((name) => {
      const { cursor, ...screen } = JSON.parse(readFileSync(new URL(name, place), 'utf8'))
      return [name, { ...screen, ...(cursor && { cursor }) }]
    })
}
