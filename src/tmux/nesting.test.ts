import { describe, expect, test } from 'vitest'
import type { PaneRef } from '../core/pane.ts'
import { type AttachedClient, innermostPane, type Nesting, wayTo } from './nesting.ts'

const operator = { socket: '/outer', name: '/dev/pts/1' }
const at = (socket: string, id: string): PaneRef => ({ socket, id })

function client(
  socket: string,
  name: string,
  more: Partial<Omit<AttachedClient, 'socket' | 'name'>> = {},
): AttachedClient {
  return { socket, name, session: '$0', shows: '%0', activity: 0, runsIn: undefined, ...more }
}

function nesting(clients: AttachedClient[], sessions: Record<string, string[]> = {}): Nesting {
  return { clients, sessionsOf: ({ socket, id }) => new Set(sessions[`${socket}${id}`]) }
}

const hops = (pane: PaneRef, clients: Nesting, from = operator) =>
  wayTo(pane, from, clients)?.map(({ client: { socket, name }, pane: id }) => [socket, name, id])

describe('the way to a pane of another server', () => {
  const own = client('/outer', '/dev/pts/1')
  const nested = client('/inner', '/dev/pts/2', { runsIn: at('/outer', '%5') })

  test('goes through the pane that runs a client of it', () => {
    expect(hops(at('/inner', '%9'), nesting([own, nested]))).toEqual([
      ['/outer', '/dev/pts/1', '%5'],
      ['/inner', '/dev/pts/2', '%9'],
    ])
  })

  test('goes through all servers in between', () => {
    const deep = client('/deep', '/dev/pts/3', { runsIn: at('/inner', '%7') })
    expect(hops(at('/deep', '%1'), nesting([own, nested, deep]))).toEqual([
      ['/outer', '/dev/pts/1', '%5'],
      ['/inner', '/dev/pts/2', '%7'],
      ['/deep', '/dev/pts/3', '%1'],
    ])
  })

  test('goes outwards through the client that shows the pane of the key press', () => {
    const elsewhere = client('/outer', '/dev/pts/8', { activity: 9 })
    const around = client('/outer', '/dev/pts/1', { shows: '%5' })
    const from = { socket: '/inner', name: '/dev/pts/2' }
    expect(hops(at('/outer', '%3'), nesting([elsewhere, around, nested]), from)).toEqual([
      ['/outer', '/dev/pts/1', '%3'],
    ])
  })

  test('does not exist for a client in its own terminal, nor without a client', () => {
    expect(hops(at('/inner', '%9'), nesting([own, client('/inner', '/dev/pts/2')]))).toBeUndefined()
    expect(hops(at('/inner', '%9'), nesting([own]))).toBeUndefined()
    expect(hops(at('/inner', '%9'), nesting([]))).toBeUndefined()
  })

  test('ends even if servers show each other', () => {
    const circle = [
      client('/a', '/dev/pts/3', { runsIn: at('/b', '%1') }),
      client('/b', '/dev/pts/4', { runsIn: at('/a', '%1') }),
    ]
    expect(hops(at('/a', '%1'), nesting([own, ...circle]))).toBeUndefined()
    const from = { socket: '/a', name: '/dev/pts/3' }
    expect(hops(at('/inner', '%1'), nesting(circle), from)).toBeUndefined()
    expect(innermostPane(at('/a', '%1'), nesting(circle)).socket).toMatch(/^\/[ab]$/)
  })

  test('takes the client that shows the pane, else one in its session, else the one used last', () => {
    const pane = at('/inner', '%9')
    const sessions = { '/inner%9': ['$2'] }
    const used = client('/inner', '/dev/pts/4', { activity: 9, runsIn: at('/outer', '%4') })
    const same = client('/inner', '/dev/pts/5', { session: '$2', runsIn: at('/outer', '%5') })
    const showing = client('/inner', '/dev/pts/6', { shows: '%9', runsIn: at('/outer', '%6') })
    const through = (...clients: AttachedClient[]) =>
      hops(pane, nesting([own, nested, ...clients], sessions))?.[0]?.[2]
    expect(through(used)).toBe('%4')
    expect(through(used, same)).toBe('%5')
    expect(through(used, same, showing)).toBe('%6')
  })

  test('reports which of its clients are already there', () => {
    const there = [
      { ...own, shows: '%5' },
      { ...nested, shows: '%9' },
    ]
    const way = (clients: AttachedClient[]) =>
      wayTo(at('/inner', '%9'), operator, nesting(clients))?.map(({ isThere }) => isThere)
    expect(way(there)).toEqual([true, true])
    expect(way([own, nested])).toEqual([false, false])
  })
})

describe('the pane in view', () => {
  test('is the one that a client inside it shows, however deep', () => {
    const clients = nesting([
      client('/inner', '/dev/pts/2', { shows: '%7', runsIn: at('/outer', '%5') }),
      client('/deep', '/dev/pts/3', { shows: '%8', runsIn: at('/inner', '%7') }),
    ])
    expect(innermostPane(at('/outer', '%5'), clients)).toEqual(at('/deep', '%8'))
    expect(innermostPane(at('/outer', '%6'), clients)).toEqual(at('/outer', '%6'))
  })
})
