import { describe, expect, test } from 'vitest'
import {
  asked,
  busy,
  explain,
  prompt,
  sessionOf,
  started,
  status,
  stop,
  type Told,
} from '../../../test/support/views/reported-session.ts'
import type { Session } from '../session/session.ts'
import type { Surroundings } from './missing-signals.ts'

describe('what is missing', () => {
  const session = sessionOf(started, prompt, busy(3))

  test.each<[string, Partial<Session>, Partial<Surroundings>, RegExp]>([
    [
      'a human',
      { headless: true, pane: undefined },
      { pane: 'none' },
      /^Nobody .* \(claude -p, or/,
    ],
    ['a pane', { pane: undefined }, { pane: 'none' }, /^No pane: it runs outside tmux, or/],
    [
      'a pane, of one that may run elsewhere',
      { pane: undefined },
      { pane: 'none', habits: { elsewhere: 'in a daemon' } },
      /^No pane: it runs outside tmux, .*, or in a daemon\. No key/,
    ],
    ['its pane by now', {}, { pane: 'lost' }, /^Its pane %1 is not there any more/],
    [
      'where the transcript is',
      { transcript: undefined },
      { transcript: 'untold' },
      /^Nothing says/,
    ],
    ['a transcript', {}, { transcript: { unreadable: 'a directory' } }, /\/t .* a directory\.$/],
    ['the process', { pid: undefined }, {}, /when its pane is closed\.$/],
  ])('%s', (_, known, surroundings, sentence) => {
    const { missing } = explain({ ...session, ...known }, surroundings)
    expect(missing).toEqual([expect.stringMatching(sentence)])
  })

  test('a status published in a place where it cannot be found', () => {
    const { missing } = explain(sessionOf(started, prompt), { innerPid: 2 })
    const dialog: Told = { kind: 'stuck', reason: 'permission', source: 'screen', at: 9 }
    expect(explain(sessionOf(dialog), { innerPid: 2 }).missing).toEqual([
      expect.stringMatching(/^So far only its screen shows it/),
      ...missing,
    ])
    expect(missing).toEqual([
      'Claude Code runs in a PID namespace of its own (a container, or unshare), as process 2 there. The status that it publishes under that number could not be found from here.',
    ])
  })

  test('a status that does not count', () => {
    const unclear = status('seen', 4, { detail: '7.json is not understood: it is empty' })
    expect(explain(sessionOf(started, prompt, unclear)).missing).toEqual([
      'Its status does not count: 7.json is not understood: it is empty.',
    ])
    const before = sessionOf(busy(3), { ...started, at: 2_004 })
    expect(explain(before).missing).toEqual([expect.stringMatching(/from before the session/)])
    const within = sessionOf(busy(3), { ...started, at: 2_003 })
    expect(explain(within)).toMatchObject({ missing: [], why: 'Claude Code itself says "busy".' })
  })

  test('a program that asks something while it starts: nothing to wire, only something to wait for', () => {
    const dialog: Told = { ...asked, source: 'screen', detail: 'a dialog is open' }
    const unreported = { transcript: 'untold' } as const
    expect(explain(sessionOf(dialog), unreported).missing).toEqual([
      'So far only its screen shows it. It is probably still starting: its status and its hooks come after this dialog.',
    ])
    const worked: Told = { kind: 'unstuck', at: 5, source: 'screen' }
    expect(explain(sessionOf(worked, dialog), unreported).missing).toEqual([
      'No hook has come from this session. Wire it.',
      'Claude Code publishes no status for it. Old versions do not.',
      'Nothing says where its transcript is.',
    ])
    const composer: Told = { ...stop(10), source: 'screen', detail: 'an idle composer' }
    for (const reports of [
      [composer],
      [{ ...composer, at: 5 }, dialog],
      [{ ...started, source: 'transcript' as const }, dialog],
    ]) {
      expect(explain(sessionOf(...reports), unreported).missing).toHaveLength(3)
    }
  })

  test('hooks that came once are not missing, whatever came since', () => {
    const since: Told = { kind: 'unstuck', at: 9, source: 'transcript' }
    expect(explain(sessionOf(prompt, since, busy(10))).missing).toEqual([])
  })
})

describe('what the adapter says about its harness', () => {
  const dialog: Told = { ...asked, source: 'screen', detail: 'a dialog is open' }
  const sentences = (habits: Surroundings['habits']) => {
    const surroundings = { title: 'My Agent', habits }
    const { missing } = explain(
      { ...sessionOf(started, prompt, busy(3)), headless: true },
      { ...surroundings, transcript: 'absent' },
    )
    return [
      ...missing,
      ...explain(sessionOf(dialog), { ...surroundings, transcript: 'untold' }).missing,
      explain(sessionOf(started, prompt, asked, busy(12)), surroundings).why,
    ]
  }

  test('appears in its own words', () => {
    const habits = {
      headless: 'my-agent run',
      dialogFirst: 'it signs in before it has a session',
      answersUnreported: 'an answer is not reported',
      transcriptMade: 'it is written at the end of the first turn',
    }
    expect(sentences(habits)).toEqual([
      'Nobody sits in front of it (my-agent run): it is never queued.',
      'No transcript found yet; it is written at the end of the first turn: /t',
      'So far only its screen shows it. It is probably still starting: it signs in before it has a session.',
      'My Agent itself says "busy". Its hook PermissionRequest Bash asked before that and nobody reported an answer; but an answer is not reported, so it was answered.',
    ])
  })

  test('is left out if it says nothing', () => {
    expect(sentences({})).toEqual([
      'Nobody sits in front of it: it is never queued.',
      'No transcript found yet: /t',
      'So far only its screen shows it. It is probably still starting.',
      'My Agent itself says "busy". Its hook PermissionRequest Bash asked before that and nobody reported an answer; but it works again, so it was answered.',
    ])
  })
})
