import { expect, test } from 'vitest'
import type { Session } from '../../core/session/session.ts'
import type { PaneNames } from '../../tmux/pane-names.ts'
import { createIdentities } from './session-identity.ts'

function identityOf(names: PaneNames | undefined, session: Partial<Session> = {}, hasPane = true) {
  const pane = { socket: '/tmp/t', id: '%1' }
  const all = { harness: 'claude-code', pane, isGuest: false, ...session } as Session
  return createIdentities({ namesOf: () => names }).of(all, hasPane)
}

const NAMES = { window: 'work:api', title: '✳ Fix the login' }

test('a session has its window, and the title that its harness gave it', () => {
  expect(identityOf(NAMES)).toEqual({ project: null, window: 'work:api', title: 'Fix the login' })
  expect(identityOf({ ...NAMES, title: '✳ Claude Code' })).not.toHaveProperty('title')
  expect(identityOf(NAMES, { harness: 'my-agent' })).not.toHaveProperty('title')
})

test('what only points to a pane does not have the title of what runs there', () => {
  expect(identityOf(NAMES, { isGuest: true })).toEqual({ project: null, window: 'work:api' })
})

test('without a pane, or without its names, there is neither', () => {
  expect(identityOf(NAMES, {}, false)).toEqual({ project: null })
  expect(identityOf(undefined)).toEqual({ project: null })
})

test('outside of any repository the project is the directory', () => {
  expect(identityOf(undefined, { cwd: '/nowhere/notes' })).toEqual({ project: 'notes' })
})

test('hostile names are plain, short, and without secrets', () => {
  const title = `✳ Use \u001b[31mghp_${'a1B2'.repeat(9)}\u202e ${'x'.repeat(500)}`
  const shown = identityOf({ window: 'a\u001b]0;x\u0007:b\nc', title })
  expect(shown.window).toBe('a:b c')
  expect(shown.title).toMatch(/^Use \[redacted\] x+…$/)
  expect(shown.title?.length).toBeLessThanOrEqual(200)
})
