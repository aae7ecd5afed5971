import { describe, expect, test } from 'vitest'
import { chooseSession } from './control-session.ts'

describe('where a control client attaches', () => {
  test('is the least recently used session: the last one that attach-session would take', () => {
    expect(chooseSession(['s $0 300 0 0', 's $4 100 0 0', 's $7 200 0 0', 'c 0'])).toEqual({
      join: '$4',
    })
  })

  test('is where it was, as long as nobody has used that session since', () => {
    const seen = ['s $0 300 0 0', 's $4 100 0 0']
    expect(chooseSession(seen, { id: '$0', activity: 300 })).toEqual({ join: '$0' })
    expect(chooseSession(seen, { id: '$0', activity: 299 })).toEqual({ join: '$4' })
    const alike = ['s $0 300 0 0', 's $4 300 0 0']
    expect(chooseSession(alike, { id: '$0', activity: 299 })).toEqual({ join: '$4' })
  })

  test('is a session in use when there is no other', () => {
    expect(chooseSession(['s $0 300 0 0'], { id: '$0', activity: 1 })).toEqual({ join: '$0' })
  })

  test.each(['1', 'on', 'keep-last'])('is none that ends with its last client (%s)', (value) => {
    expect(chooseSession([`s $0 1 ${value} 0`, 's $1 2 off off'])).toEqual({ join: '$1' })
    expect(chooseSession([`s $0 1 ${value} 0`, 'c 0'])).toEqual({
      refuse: expect.stringContaining('destroy-unattached'),
    })
  })

  test('is nowhere on a server that ends with its last client, unless the operator has one', () => {
    const seen = ['s $0 1 0 1']
    expect(chooseSession([...seen, 'c 1'])).toEqual({
      refuse: expect.stringContaining('exit-unattached'),
    })
    expect(chooseSession([...seen, 'c 1', 'c 0'])).toEqual({ join: '$0' })
  })

  test('is nowhere when there are no sessions', () => {
    expect(chooseSession([])).toEqual({ refuse: expect.stringContaining('no sessions') })
  })
})
