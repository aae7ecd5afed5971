import { describe, expect, test } from 'vitest'
import {
  effectsOf,
  key,
  live,
  press,
  run,
  selected,
  send,
  sessions,
  take,
} from '../../test/support/views/popup-model.ts'
import {
  coolingItem,
  failedTriggerItem,
  NOW,
  queueItem,
} from '../../test/support/views/queue-item.ts'
import { sessionKey } from '../core/session/event.ts'
import { entriesOf } from './model/entry.ts'
import { type Capture, initialModel, type Message } from './model/model.ts'
import { update } from './update.ts'
import { view } from './view/view.ts'

const SIZE = { columns: 80, rows: 24 }
const three = [queueItem('s1'), queueItem('s2'), queueItem('s3')]

describe('moving', () => {
  test('starts on the head', () => {
    expect(selected(live(three))).toBe('s1')
  })

  test.each([
    [['j'], 's2'],
    [['down', 'down'], 's3'],
    [['j', 'j', 'j', 'j'], 's3'],
    [['j', 'k'], 's1'],
    [['k'], 's1'],
    [['j', 'up'], 's1'],
    [['G'], 's3'],
    [['end'], 's3'],
    [['G', 'g'], 's1'],
    [['end', 'home'], 's1'],
    [['ctrl-n', 'ctrl-n', 'ctrl-p'], 's2'],
    [['x', 'Z', '0'], 's1'],
  ])('%j selects %s', (keys, session) => {
    expect(selected(press(live(three), ...keys))).toBe(session)
  })

  test('scrolls the list no further than needed to keep the selection on screen', () => {
    const many = Array.from({ length: 30 }, (_, index) => queueItem(`s${index}`))
    const down = press(live(many), ...Array.from({ length: 8 }, () => 'j'))
    expect(down.listTop).toBe(1)
    expect(press(down, 'k', 'k').listTop).toBe(1)
    expect(press(down, 'G').listTop).toBe(22)
    expect(press(down, 'G', 'g').listTop).toBe(0)
  })

  test('a paste does nothing', () => {
    for (const text of ['j', 's', 'q', '1', '\r']) {
      const [model, effects] = update(live(three), key({ kind: 'paste', text }))
      expect(effects).toEqual([])
      expect(selected(model)).toBe('s1')
    }
  })
})

describe('jumping', () => {
  test('Enter jumps to the selected item', () => {
    expect(effectsOf(live(three), 'j', 'enter')).toEqual([{ kind: 'jump', item: three[1] }])
  })

  test('a number selects that row and jumps at once', () => {
    const [model, effects] = run(live(three), '3')
    expect(effects).toEqual([{ kind: 'jump', item: three[2] }])
    expect(selected(model)).toBe('s3')
  })

  test('a number counts the rows that pass the filter', () => {
    const filtered = press(live([...three, queueItem('x9')]), '/', 'x', '9', 'ctrl-i')
    expect(effectsOf(filtered, '1')).toMatchObject([{ kind: 'jump', item: { session: 'x9' } }])
  })

  test('a number without a row says so', () => {
    const [model, effects] = run(live(three), '4')
    expect(effects).toEqual([])
    expect(model.notice?.text).toContain('no number 4')
  })

  test('an item that cools down can be jumped to', () => {
    const items = [coolingItem('c1')]
    expect(effectsOf(live(items), 'enter')).toEqual([{ kind: 'jump', item: items[0] }])
  })

  test.each(['enter', '1'])('%s on an item without a pane says so and stays', (pressed) => {
    const [model, effects] = run(live([queueItem('s1', { pane: null })]), pressed)
    expect(effects).toEqual([])
    expect(model.notice).toMatchObject({ tone: 'alert' })
    expect(model.notice?.text).toMatch(/^No pane/)
  })

  test('Enter does nothing on an empty queue', () => {
    expect(effectsOf(live([]), 'enter', 's', 'j', 'G', 'J')).toEqual([])
  })
})

describe('closing', () => {
  test.each(['q', 'escape', 'ctrl-c'])('%s closes', (pressed) => {
    expect(effectsOf(live(three), pressed)).toEqual([{ kind: 'close' }])
    expect(effectsOf(initialModel(SIZE, NOW, true), pressed)).toEqual([{ kind: 'close' }])
  })

  test('Ctrl-C closes even from the help and while typing a filter', () => {
    expect(effectsOf(live(three), '?', 'ctrl-c')).toEqual([{ kind: 'close' }])
    expect(effectsOf(live(three), '/', 'ctrl-c')).toEqual([{ kind: 'close' }])
  })
})

describe('skipping', () => {
  test('asks for the skip and selects the next ready item', () => {
    const [model, effects] = run(live(three), 's')
    expect(effects).toMatchObject([{ kind: 'skip', entry: { item: { session: 's1' } } }])
    expect(selected(model)).toBe('s2')
  })

  test('from the last ready item continues with the first', () => {
    const model = live([...three, coolingItem('c1')])
    expect(selected(press(model, 'j', 'j', 's'))).toBe('s1')
  })

  test('of the only one leaves it selected', () => {
    expect(selected(press(live([queueItem('s1'), coolingItem('c1')]), 's'))).toBe('s1')
  })

  test('of an item that already cools down only says so', () => {
    const [model, effects] = run(live([coolingItem('c1')]), 's')
    expect(effects).toEqual([])
    expect(model.notice?.text).toBe('It is skipped already.')
  })

  test('reports the result', () => {
    const done = send(live(three), { kind: 'act.done', text: 'Skipped api, back in 1m.' })
    expect(done.notice).toMatchObject({ text: 'Skipped api, back in 1m.', tone: 'info' })
    const failed = send(live(three), { kind: 'request.failed', id: '', message: 'No\u001b[31m.' })
    expect(failed.notice).toMatchObject({ text: 'No.', tone: 'alert' })
  })

  test('a notice disappears with time, or with the next key', () => {
    const noticed = send(live(three), { kind: 'request.failed', id: '', message: 'No.' })
    expect(send({ ...noticed, now: NOW + 3_999 }, { kind: 'ticked' }).notice).toBeDefined()
    expect(send({ ...noticed, now: NOW + 4_000 }, { kind: 'ticked' }).notice).toBeUndefined()
    expect(press(noticed, 'j').notice).toBeUndefined()
  })
})

describe('a trigger that failed', () => {
  const trigger = [failedTriggerItem('trg_1'), queueItem('s2')]

  test.each([
    ['r', 'retry'],
    ['x', 'cancel'],
  ])('%s requests it, without a question and without leaving it', (pressed, act) => {
    const [model, effects] = run(live(trigger), pressed)
    expect(effects).toEqual([{ kind: 'trigger', act, trigger: 'trg_1' }])
    expect(selected(model)).toBe('trigger-trg_1')
  })

  test('is requested once, however often the key is pressed', () => {
    const model = press(live(trigger), 'r')
    for (const pressed of ['r', 'x']) {
      const [again, effects] = run(model, pressed)
      expect(effects).toEqual([])
      expect(again.notice?.text).toBe('That is being done.')
    }
  })

  test('can be requested again after a refusal', () => {
    const message = 'Not tried again. It broke.'
    const refusal: Message = { kind: 'request.failed', id: 'trg_1', message }
    const refused = send(press(live(trigger), 'r'), refusal)
    expect(refused.notice).toMatchObject({ text: message, tone: 'alert' })
    expect(effectsOf(refused, 'r')).toHaveLength(1)
  })

  test('is not requested again if it was done and is still listed', () => {
    const done = send(press(live(trigger), 'r'), { kind: 'request.done', text: 'On its way.' })
    expect(done.notice).toMatchObject({ text: 'On its way.', tone: 'info' })
    expect(effectsOf(done, 'r')).toEqual([])
  })

  test.each(['r', 'x'])('%s does nothing on anything else', (pressed) => {
    expect(effectsOf(live(three), pressed)).toEqual([])
  })
})

describe('a change of the queue', () => {
  test('keeps the selected session selected wherever it moves', () => {
    const model = press(live(three), 'j')
    const moved = take(model, [queueItem('s9'), queueItem('s3'), queueItem('s1'), queueItem('s2')])
    expect(selected(moved)).toBe('s2')
  })

  test('selects the successor of a session that left', () => {
    const model = press(live(three), 'j')
    expect(selected(take(model, [queueItem('s1'), queueItem('s3')]))).toBe('s3')
    expect(selected(take(press(model, 'j'), [queueItem('s1'), queueItem('s2')]))).toBe('s2')
  })

  test('distinguishes sessions of different harnesses', () => {
    const codex = queueItem('s1', { harness: 'codex' })
    const model = press(live([queueItem('s1'), codex]), 'j')
    expect(take(model, [codex, queueItem('s1')]).selected).toBe(sessionKey('codex', 's1'))
  })

  test('keeps the scroll position of the ask', () => {
    const long = queueItem('s1', { ask: { text: 'line\n'.repeat(50) } })
    const model = press(live([long]), 'J', 'J')
    expect(take(model, [queueItem('s0'), long]).askTop).toBe(2)
  })

  test('puts cooling items last', () => {
    const model = live([coolingItem('c1'), queueItem('s1')])
    expect(sessions(model)).toEqual(['s1', 'c1'])
  })

  test('drops the panes of sessions that left', () => {
    const capture = { pane: '%1', lines: [[['plain', 'x']]] } satisfies Capture
    const key = sessionKey('claude-code', 's1')
    const model = send(live(three), { kind: 'pane.captured', key, capture })
    expect(model.captures.get(key)).toEqual(capture)
    expect(take(model, [queueItem('s2')]).captures.size).toBe(0)
  })
})

describe('the ask', () => {
  const long = queueItem('s1', {
    ask: { text: Array.from({ length: 40 }, (_, i) => i).join('\n') },
  })

  test('scrolls by line and by page, within its bounds', () => {
    const model = live([long, queueItem('s2')])
    expect(press(model, 'K').askTop).toBe(0)
    expect(press(model, 'J', 'J', 'K').askTop).toBe(1)
    const page = press(model, 'page-down').askTop
    expect(page).toBeGreaterThan(2)
    expect(press(model, 'page-down', 'page-up').askTop).toBe(0)
    const end = press(model, ...Array.from({ length: 20 }, () => 'page-down')).askTop
    expect(press(model, ...Array.from({ length: 90 }, () => 'J')).askTop).toBe(end)
  })

  test('starts at its top for each session', () => {
    expect(press(live([long, { ...long, session: 's2' }]), 'J', 'j').askTop).toBe(0)
  })

  test('stays within its bounds when the screen grows', () => {
    const scrolled = press(live([long]), ...Array.from({ length: 90 }, () => 'J'))
    const size = { columns: 200, rows: 100 }
    expect(send(scrolled, { kind: 'resized', size })).toMatchObject({ size, askTop: 0 })
  })
})

test.each([
  [60, 15],
  [40, 10],
  [30, 8],
])('at %i×%i the whole help can be read, from its first line to its last', (columns, rows) => {
  let help = press(live(three, columns, rows), '?')
  const read: string[] = []
  for (let step = 0; step < 40 && help.screen === 'help'; step++) {
    read.push(...view(help).map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, '')))
    help = press(help, 'down')
  }
  const text = read.join(' ').replaceAll(/\s+/g, ' ')
  for (const part of ['↑ ↓ j k', 'a failed trigger: dismiss it', 'q Esc', 'cool down after a']) {
    expect(text).toContain(part)
  }
  expect(text).not.toMatch(/\S…/)
})

test('the help scrolls no further than its end, and starts at its beginning again', () => {
  const help = press(live(three, 40, 10), '?', 'page-down', 'page-down', 'page-down', 'page-down')
  expect(press(help, 'down')).toEqual(help)
  expect(press(help, 'up').helpTop).toBe(help.helpTop - 1)
  expect(press(help, 'x', '?').helpTop).toBe(0)
})

test('any key leaves the help, and does nothing else', () => {
  const help = press(live(three), '?')
  expect(help.screen).toBe('help')
  expect(run(help, 'enter')).toMatchObject([{ screen: 'list' }, []])
  expect(run(help, 'q')).toMatchObject([{ screen: 'list' }, []])
})

describe('the daemon', () => {
  const lost: Message = { kind: 'daemon.lost', message: 'Gone.', hint: 'trailboss up' }

  test('lost, leaves no list that might be out of date', () => {
    const model = send(live(three), lost)
    expect(model.connection).toEqual({ kind: 'down', message: 'Gone.', hint: 'trailboss up' })
    expect(effectsOf(model, 'enter', '1')).toEqual([])
    expect(effectsOf(model, 'q')).toEqual([{ kind: 'close' }])
  })

  test('back again, finds the same session selected', () => {
    expect(selected(take(send(press(live(three), 'j'), lost), three))).toBe('s2')
  })

  test('not known yet, keeps the keys until the list is there', () => {
    const early = press(initialModel(SIZE, NOW, true), 'j', 'enter')
    const [model, effects] = update(early, {
      kind: 'queue.changed',
      entries: entriesOf(three),
      working: 0,
    })
    expect(effects).toEqual([{ kind: 'jump', item: three[1] }])
    expect(model.connection).toEqual({ kind: 'live' })
  })
})
