import { expect, test } from 'vitest'
import { isSamePane, isUnchangedPane, type Pane } from './pane.ts'

const pane: Pane = { socket: '/s', id: '%1', server: 10, pid: 20 }

test.each([
  ['the same', pane, { same: true, unchanged: true }],
  ['another id', { ...pane, id: '%2' }, { same: false, unchanged: false }],
  ['another socket', { ...pane, socket: '/t' }, { same: false, unchanged: false }],
  ['a server that was restarted', { ...pane, server: 11 }, { same: true, unchanged: false }],
  ['a pane that was respawned', { ...pane, pid: 21 }, { same: true, unchanged: false }],
  ['none', undefined, { same: false, unchanged: false }],
])('a pane compared with %s', (_, other, { same, unchanged }) => {
  expect([isSamePane(pane, other), isSamePane(other, pane)]).toEqual([same, same])
  expect([isUnchangedPane(pane, other), isUnchangedPane(other, pane)]).toEqual([
    unchanged,
    unchanged,
  ])
})

test('without a pane nothing is the same, and nothing has changed', () => {
  expect(isSamePane(undefined, undefined)).toBe(false)
  expect(isUnchangedPane(undefined, undefined)).toBe(true)
})
