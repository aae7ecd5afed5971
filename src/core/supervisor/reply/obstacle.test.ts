import { describe, expect, test } from 'vitest'
import { WAIT_LABELS } from '../../session/wait-label.ts'
import { itemObstacle, type ReplyItem, type ReplySight, sightObstacle } from './obstacle.ts'

const item: ReplyItem = {
  about: { kind: 'session', id: 's' },
  pane: { socket: '/s', id: '%1' },
  label: 'finished',
}

describe('an item', () => {
  test('can be replied to unless its label says that only its pane can answer it', () => {
    const free = WAIT_LABELS.filter((label) => itemObstacle({ ...item, label }) === undefined)
    expect(free).toEqual(['asks', 'finished', 'error', 'interrupted', 'waits'])
  })

  test.each<[what: string, more: Partial<ReplyItem>, why: RegExp]>([
    ['a permission', { label: 'permission' }, /^It shows a dialog: go there and answer it\.$/],
    ['a decision', { about: { kind: 'decision', id: 'd' } }, /^It asks through Trail Boss/],
    ['a failed trigger', { about: { kind: 'trigger', id: 't' } }, /^It is not a conversation/],
    ['an agent of a workspace', { agent: 'ranch/lead' }, /trigger/],
    ['a job in the background', { pane: null }, /^It runs in no pane/],
  ])('that is %s cannot', (_, more, why) => {
    expect(itemObstacle({ ...item, ...more })).toMatch(why)
  })
})

describe('a sight', () => {
  const composer = (kind: 'none', why: string): ReplySight => ({
    kind: 'composer',
    composer: { kind, why },
  })

  test('allows typing only if the composer is positively empty', () => {
    expect(sightObstacle({ kind: 'composer', composer: { kind: 'empty' } })).toBeUndefined()
  })

  test.each<[sight: ReplySight, why: string]>([
    [{ kind: 'composer', composer: { kind: 'text', text: 'x' } }, 'Its composer has a draft.'],
    [composer('none', 'dialog: bash'), 'It shows a dialog: go there and answer it.'],
    [composer('none', 'working: spinner'), 'It is working.'],
    [composer('none', 'no composer'), 'Its composer is not visible (no composer).'],
    [{ kind: 'typed-in' }, 'Somebody is typing there.'],
    [{ kind: 'scrolled' }, 'Somebody reads in its pane what scrolled away.'],
    [{ kind: 'gone' }, 'Its pane is closed.'],
    [{ kind: 'other-program' }, 'Its process is not in front in its pane.'],
    [{ kind: 'unseen' }, 'Its screen cannot be read.'],
  ])('%j: %s', (sight, why) => {
    expect(sightObstacle(sight)).toBe(why)
  })
})
