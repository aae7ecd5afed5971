import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { QueueView } from '../contract/responses.ts'
import { followQueue } from './queue-feed.ts'

test('does not ask endlessly if the daemon does not hold the request', async () => {
  const closing = new AbortController()
  let asked = 0
  const answer = async (): Promise<QueueView> => {
    asked++
    return { version: 1, items: [], working: 0 }
  }
  const feed = followQueue({ queue: answer, waitForQueue: answer }, closing.signal)
  const following = feed.start({ onQueue: () => {}, onLost: () => {} })
  for (let turns = 0; turns < 50; turns++) await turn()
  closing.abort()
  await following
  expect(asked).toBe(2)
})

test('asks before it is started, and fails only in the listener', async () => {
  const closing = new AbortController()
  const client = { queue: () => Promise.reject(new Error('down')), waitForQueue: neverAnswered }
  const feed = followQueue(client, closing.signal)
  await turn()
  const lost: unknown[] = []
  const following = feed.start({
    onQueue: () => {},
    onLost: (error) => {
      lost.push(error)
      closing.abort()
    },
  })
  await following
  expect(lost).toEqual([new Error('down')])
})

function neverAnswered(): Promise<QueueView> {
  return new Promise(() => {})
}
