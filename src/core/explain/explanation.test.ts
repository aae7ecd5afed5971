import { describe, expect, test } from 'vitest'
import {
  asked,
  busy,
  explain,
  idle,
  judged,
  prompt,
  sessionOf,
  started,
  status,
  stop,
  type Told,
} from '../../../test/support/views/reported-session.ts'
import { type ProcessSighting, withEnd, withProcess } from '../session/evidence.ts'
import type { Session } from '../session/session.ts'
import type { Explanation } from './explanation.ts'

function seenAs(state: ProcessSighting['state'], detail: string, session: Session): Session {
  const evidence = withProcess(session.evidence, { at: 90, state, detail })
  return judged({ ...session, evidence })
}

/** A short form of the evidence that decided. */
const decision = ({ because }: Explanation) =>
  because.filter(({ decided }) => decided).map(({ source, claim }) => `${source}: ${claim}`)

const waiting = status('stuck', 11, { reason: 'permission', detail: 'waiting: permission prompt' })

describe('a permission prompt that the harness itself publishes', () => {
  const says = 'Claude Code itself says "waiting: permission prompt".'

  test('and a hook reports', () => {
    const explanation = explain(sessionOf(started, prompt, asked, waiting))
    expect(explanation.why).toBe(`${says} Its hook PermissionRequest Bash says what it asks.`)
    expect(decision(explanation)).toEqual(['status: stuck (permission)'])
    expect(explanation.missing).toEqual([])
  })

  test('and the transcript shows the tool of', () => {
    const pending = [{ text: 'make\nBuild it', tool: 'Bash' }]
    const tool: Told = { kind: 'seen', at: 9, source: 'transcript', pending }
    const explanation = explain(sessionOf(started, tool, waiting))
    expect(explanation.why).toMatch(/the first tool in its transcript that has no result\.$/)
    expect(explanation.because).toContainEqual({
      ...{ source: 'transcript', claim: 'tool without result', at: 9 },
      ...{ detail: 'Bash: make · Build it', decided: false },
    })
  })

  test('and the screen shows', () => {
    const screen: Told = { ...asked, at: 12, source: 'screen' }
    const explanation = explain(sessionOf(started, prompt, screen, waiting))
    expect(explanation.why).toBe(`${says} What it asks is read from its screen.`)
  })

  test('a screen that was captured for an earlier one is no longer evidence', () => {
    const screens = (...reports: Told[]) =>
      explain(
        sessionOf(started, prompt, { ...asked, source: 'screen' }, ...reports),
      ).because.filter(({ source }) => source === 'screen')
    expect(screens({ ...waiting, at: 10 })).toHaveLength(1)
    expect(screens(waiting)).toEqual([])
    expect(screens(status('seen', 11, { detail: 'it is empty' }))).toHaveLength(1)
  })

  test('and nothing reports', () => {
    expect(explain(sessionOf(started, prompt, waiting)).why).toBe(
      `${says} Nothing says what it asks.`,
    )
    const ask = { text: 'A dialog is open.' }
    expect(explain(sessionOf(started, prompt, { ...waiting, ask })).why).toMatch(/no more/)
  })
})

describe('a stop that the harness itself publishes', () => {
  test('a finished turn', () => {
    const explanation = explain(sessionOf(started, prompt, stop(20), idle(21)))
    expect(explanation.why).toBe(
      'Claude Code itself says "idle". Its hook Stop says how it stopped.',
    )
    expect(decision(explanation)).toEqual(['status: stuck (waits)'])
  })

  test('an interrupted one, an API error', () => {
    const ask = { text: 'Interrupted by you.' }
    const interrupt = stop(20, { source: 'transcript', ask, detail: 'interrupted' })
    expect(explain(sessionOf(started, prompt, interrupt, idle(21))).why).toMatch(
      /Its transcript says how it stopped\.$/,
    )
    const failure = stop(20, { ask: { text: 'API error (529)' }, detail: 'StopFailure overloaded' })
    expect(explain(sessionOf(started, prompt, failure, idle(21))).why).toMatch(
      /Its hook StopFailure overloaded says how it stopped\.$/,
    )
  })

  test('one interrupted before it answered', () => {
    expect(explain(sessionOf(started, prompt, idle(21))).why).toMatch(
      /your prompt, so it was interrupted before it answered\.$/,
    )
  })

  test('one that worked, and nobody reported on what', () => {
    const busy = { ...prompt, source: 'status' as const, detail: 'busy' }
    expect(explain(sessionOf(started, busy, idle(21))).why).toMatch(
      /Nothing says how it stopped\.$/,
    )
  })

  test('one with a background shell, whatever the ask says about it', () => {
    const note = 'a background shell is still running'
    const shell = { ...idle(21), note, detail: 'shell: idle, with a background shell' }
    const explanation = explain(sessionOf(started, prompt, stop(20), shell))
    expect(explanation.why).toBe(
      'Claude Code itself says "shell: idle, with a background shell". Its hook Stop says how it stopped.',
    )
  })

  test('one that nobody reports', () => {
    const seen: Told = { kind: 'seen', at: 5, source: 'transcript' }
    expect(explain(sessionOf(started, prompt, seen, idle(21))).why).toMatch(/how it stopped\.$/)
  })
})

describe('work', () => {
  test('an approved command whose permission all reports still show as open', () => {
    const explanation = explain(sessionOf(started, prompt, asked, busy(12)))
    expect(explanation.why).toBe(
      'Claude Code itself says "busy". Its hook PermissionRequest Bash asked before that and nobody reported an answer; but approving fires no hook, so it was answered.',
    )
    expect(decision(explanation)).toEqual(['status: working'])
    const { block: _, ...hearsay } = { ...asked, detail: 'Notification' }
    for (const at of [9, 11]) {
      const heard = sessionOf(started, prompt, asked, { ...hearsay, at }, busy(12))
      expect(explain(heard).why).toBe(explanation.why)
    }
  })

  test('a question or a stop that the status has not caught up with', () => {
    expect(explain(sessionOf(started, busy(9), asked)).why).toMatch(
      /Bash has just asked; it counts as soon as the status says so, too\.$/,
    )
    expect(explain(sessionOf(started, busy(9), stop(10))).why).toMatch(
      /Its hook Stop has just said that the turn ended; it counts as soon as/,
    )
  })

  test('a prompt that has overtaken the status', () => {
    const explanation = explain(sessionOf(started, idle(1), { ...prompt, at: 30 }))
    expect(explanation.why).toBe(
      'Its hook UserPromptSubmit shows it at work, and nothing has shown a stop since. Claude Code itself said "idle" before that, which is over.',
    )
    expect(decision(explanation)).toEqual(['hook: working'])
  })

  test('from the transcript alone', () => {
    const tool: Told = { kind: 'seen', at: 9, source: 'transcript', detail: 'tool_use Bash' }
    const explanation = explain(sessionOf(tool))
    expect(explanation.why).toMatch(/^Its transcript shows it at work, and/)
    expect(explanation.missing).toEqual([
      'No hook has come from this session. Wire it.',
      'Claude Code publishes no status for it. Old versions do not.',
    ])
  })
})

describe('what was reported, if nothing is published', () => {
  test('a permission, including one of a subagent', () => {
    const explanation = explain(sessionOf(started, prompt, { ...asked, subagent: 'a1' }))
    expect(explanation.why).toBe(
      'Its hook PermissionRequest Bash (subagent a1) asks, and nothing has answered it since.',
    )
    expect(decision(explanation)).toEqual(['hook: stuck (permission)'])
  })

  test('of several permissions and stops one decided', () => {
    const second = { ...asked, block: 'Bash:ls' }
    expect(decision(explain(sessionOf(started, asked, second)))).toHaveLength(1)
    const stops = [stop(20, { source: 'transcript', detail: 'turn_duration' }), stop(21)]
    const explanation = explain(sessionOf(started, prompt, ...stops))
    expect(explanation.why).toMatch(
      /^Its hook Stop says that the turn ended, and nothing has shown work/,
    )
    expect(decision(explanation)).toEqual(['hook: stuck (finished)'])
  })

  test('a report by another program', () => {
    const explanation = explain(sessionOf(stop(20, { source: 'api', detail: 'stuck' })), {
      title: 'my-agent',
      advice: undefined,
    })
    expect(explanation.why).toMatch(/^A report of it \(stuck\) says that the turn ended/)
    expect(explanation.missing).toEqual([
      'No adapter knows my-agent: all that is known of it was reported.',
    ])
  })

  test('the screen alone, and the screen after others', () => {
    const dialog = { ...asked, source: 'screen' as const, detail: 'a dialog' }
    expect(explain(sessionOf(dialog)).why).toBe(
      'Its screen shows it (a dialog), and nothing else reports on it.',
    )
    expect(explain(sessionOf(started, prompt, dialog)).why).toMatch(/later than any report/)
  })
})

describe('what takes precedence over all that', () => {
  const stuck = sessionOf(started, prompt, asked, waiting)

  test('a suspended process', () => {
    const explanation = explain(seenAs('suspended', 'process 7 is stopped (T)', stuck))
    expect(explanation.why).toMatch(/^Its process is suspended \(Ctrl-Z\)\./)
    expect(decision(explanation)).toEqual(['process: suspended'])
  })

  test('a process that is gone', () => {
    const explanation = explain(seenAs('gone', 'process 7 is gone', stuck))
    expect(explanation).toMatchObject({ why: 'It is over: process 7 is gone.', missing: [] })
    expect(decision(explanation)).toEqual(['process: gone'])
  })

  test('a tmux server that does not answer', () => {
    const detail = 'the tmux server /s does not answer'
    const explanation = explain(seenAs('unobservable', detail, stuck), { pane: 'unreachable' })
    expect(explanation.why).toMatch(
      /^It cannot be looked at: the tmux server \/s does not answer\./,
    )
    expect(decision(explanation)).toEqual(['process: unobservable'])
    expect(explanation.missing[0]).toMatch(/^The tmux server \/s does not answer/)
  })

  test('an end that was reported, and another session in its pane', () => {
    const end: Told = { kind: 'ended', at: 80, detail: 'SessionEnd other' }
    expect(explain(sessionOf(started, prompt, end)).why).toMatch(
      /its hook SessionEnd other says so/,
    )
    const detail = 'its pane now shows session t'
    const evidence = withEnd(stuck.evidence, { at: 80, source: 'process', detail })
    const explanation = explain(judged({ ...stuck, evidence }))
    expect(explanation.why).toBe('It is over: its pane now shows session t.')
    expect(decision(explanation)).toEqual(['process: ended'])
  })

  test('a process is looked at if nobody had a reason to report it', () => {
    const process: ProcessSighting = { at: 99, state: 'alive', detail: 'process 7 runs' }
    const { because } = explain(stuck, { process })
    expect(because[0]).toMatchObject({ source: 'process', claim: 'alive', decided: false })
    const woken = explain(seenAs('alive', 'process 7 runs', stuck), { process })
    expect(woken.because.filter(({ source }) => source === 'process')).toMatchObject([{ at: 99 }])
    const again = explain(seenAs('suspended', 'process 7 is stopped (T)', stuck), { process })
    expect(decision(again)).toEqual(['process: suspended'])
  })

  test('nothing at all', () => {
    expect(explain(sessionOf()).why).toBe('Nothing has claimed a state yet.')
  })
})

describe('a session that waits for nothing yet', () => {
  test('at its first prompt, as it publishes itself', () => {
    const explanation = explain(sessionOf(started, idle(2)), { transcript: 'absent' })
    expect(explanation.why).toBe(
      'Claude Code itself says "idle", and nothing was asked of it yet. So it waits for nothing.',
    )
    expect(explanation.resumed).toBe(false)
    expect(decision(explanation)).toEqual(['status: idle'])
    expect(explanation.missing).toEqual(['No transcript found yet; the first prompt makes it: /t'])
  })

  test('resumed: its turns are from before', () => {
    const resume: Told = { kind: 'started', at: 50, detail: 'SessionStart resume' }
    const explanation = explain(sessionOf(started, prompt, stop(20), resume, idle(51)))
    expect(explanation).toMatchObject({
      resumed: true,
      why: 'Claude Code itself says "idle". It was resumed, and nothing was asked of it since. So it waits for nothing.',
    })
    expect(decision(explanation)).toEqual(['status: idle'])
    const resumed = explain(sessionOf(started, prompt, stop(20), resume))
    expect(resumed.why).toMatch(
      /^It was started, says its hook SessionStart resume, and .* seen since\./,
    )
    const goesOn: Told = { ...prompt, at: 60 }
    expect(explain(sessionOf(prompt, stop(20), resume, goesOn, busy(61))).resumed).toBe(false)
  })

  test('from its start alone', () => {
    const explanation = explain(sessionOf(started))
    expect(explanation.why).toMatch(/^It was started, says its hook SessionStart startup, and no/)
    expect(decision(explanation)).toEqual(['hook: started'])
    const published = explain(sessionOf(status('started', 1, { detail: 'process started' })))
    expect(decision(published)).toEqual(['status: started'])
  })
})
