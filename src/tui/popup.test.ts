import { setTimeout as delay } from 'node:timers/promises'
import stringWidth from 'string-width'
import { afterEach, expect, test } from 'vitest'
import { type FakeTerminal, fakeTerminal } from '../../test/support/views/fake-terminal.ts'
import { failedTriggerItem, queueItem } from '../../test/support/views/queue-item.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import type { DismissView, QueueView, SkipView } from '../contract/responses.ts'
import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import type { Key } from './model/keys.ts'
import { type PopupResult, runPopup } from './popup.ts'

const opened: FakeTerminal[] = []
afterEach(() => {
  for (const terminal of opened.splice(0)) terminal.listeners?.onClose()
})

const two = [queueItem('s1'), queueItem('s2')]

test('shows the queue as its first frame and jumps where Enter says', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  expect(popup.frames[0]).toContain('project-s1')
  popup.press({ kind: 'text', text: 'j' }, { kind: 'named', name: 'enter' })
  expect(await popup.result).toEqual({ kind: 'jump', item: two[1] })
  expect(popup.terminal.closed).toBe(1)
})

test('takes no key after the one that left it', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.press({ kind: 'named', name: 'enter' }, { kind: 'text', text: 's' })
  expect(await popup.result).toEqual({ kind: 'jump', item: two[0] })
  expect(popup.daemon.skips).toEqual([])
})

test('is closed by q, and stops asking the daemon', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.press({ kind: 'text', text: 'q' })
  expect(await popup.result).toEqual({ kind: 'closed' })
  expect(popup.daemon.signal?.aborted).toBe(true)
})

test('is closed when the terminal goes away', async () => {
  const popup = open(two)
  popup.terminal.listeners?.onClose()
  expect(await popup.result).toEqual({ kind: 'closed' })
  expect(popup.terminal.closed).toBe(1)
})

test('restores the terminal when something fails inside', async () => {
  const terminal = fakeTerminal()
  terminal.draw = () => {
    throw new Error('cannot draw')
  }
  await expect(runPopup({ ...fakeDaemon(two), capture, terminal })).rejects.toThrow('cannot draw')
  expect(terminal.closed).toBe(1)
})

test('says that it waits when the daemon is slow, and keeps what is typed', async () => {
  const terminal = fakeTerminal()
  opened.push(terminal)
  const answer = Promise.withResolvers<QueueView>()
  const { client } = fakeDaemon(two)
  const result = runPopup({ client: { ...client, queue: () => answer.promise }, capture, terminal })
  await waitFor(() => terminal.frames.at(-1)?.includes('Asking the daemon…'), { what: 'a word' })
  terminal.listeners?.onKeys([{ kind: 'named', name: 'enter' }])
  answer.resolve({ version: 1, items: two, working: 0 })
  expect(await result).toEqual({ kind: 'jump', item: two[0] })
})

test('follows the queue', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.daemon.change([...two, queueItem('s3')])
  await popup.see('project-s3')
  expect(popup.daemon.asked).toEqual(['queue', 'after 1', 'after 2'])
})

test('lays out again when the terminal is resized', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.terminal.listeners?.onResize({ columns: 40, rows: 10 })
  expect(popup.frames.at(-1)?.split('\n')).toHaveLength(10)
})

test('looks at the pane of the selected session only, and at once when that changes', async () => {
  const popup = open(two)
  await popup.see('screen of %1')
  popup.press({ kind: 'text', text: 'j' })
  expect(popup.looks.at(-1)).toBe('%2')
  await popup.see('screen of %2')
  popup.press({ kind: 'text', text: 'k' })
  expect(popup.frames.at(-1)).toContain('screen of %1')
})

test('says that a pane cannot be read', async () => {
  const popup = open(two, () => Promise.reject(new Error('no tmux')))
  await popup.see('The pane could not be read.')
})

test('skips the selected session and reports the result', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.press({ kind: 'text', text: 's' })
  await popup.see('Skipped project-s1')
  expect(popup.daemon.skips).toEqual([{ session: 's1', harness: 'claude-code' }])
})

test('says when the skipped session was no longer stuck, or the skip failed', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.daemon.skipAnswer = async () => ({ skipped: null, head: null })
  popup.press({ kind: 'text', text: 's' })
  await popup.see('project-s1 is not stuck any more.')
  popup.daemon.skipAnswer = () => Promise.reject(new TrailBossError('INTERNAL', 'It broke.'))
  popup.press({ kind: 'text', text: 's' })
  await popup.see('Not skipped. It broke.')
})

test('leaves when the daemon has what was asked before, or does not answer', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  const skip = Promise.withResolvers<SkipView>()
  popup.daemon.skipAnswer = () => skip.promise
  popup.press(...typed('suq'))
  const left = popup.result.then(() => 'left')
  expect(await Promise.race([left, delay(50, 'there')])).toBe('there')
  skip.resolve({ skipped: two[0]!, head: null })
  expect(await popup.result).toEqual({ kind: 'closed' })
  const s1 = { session: 's1', harness: 'claude-code' }
  expect(popup.daemon.skips).toEqual([s1, { ...s1, undo: true }])

  const other = open(two)
  await other.see('2 stuck')
  other.daemon.skipAnswer = () => new Promise(() => {})
  other.press(...typed('sq'))
  expect(await other.result).toEqual({ kind: 'closed', isUnsure: true })
})

test('asks at once for each item, however long the answer for another takes', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.daemon.skipAnswer = () => new Promise(() => {})
  popup.press(...typed('ss'))
  expect(popup.daemon.skips).toMatchObject([{ session: 's1' }, { session: 's2' }])
})

test('keys before the first answer keep their order, also the one that leaves', async () => {
  const terminal = fakeTerminal()
  opened.push(terminal)
  const answer = Promise.withResolvers<QueueView>()
  const daemon = fakeDaemon(two)
  const client = { ...daemon.client, queue: () => answer.promise }
  const result = runPopup({ client, capture, terminal })
  await waitFor(() => terminal.frames.at(-1)?.includes('Asking the daemon…'), { what: 'a word' })
  terminal.listeners?.onKeys(typed('sqs'))
  answer.resolve({ version: 1, items: two, working: 0 })
  expect(await result).toEqual({ kind: 'closed' })
  expect(daemon.client.skips).toEqual([{ session: 's1', harness: 'claude-code' }])

  const lost = fakeTerminal()
  const failing = Promise.withResolvers<QueueView>()
  const gone = runPopup({
    client: { ...daemon.client, queue: () => failing.promise },
    capture,
    terminal: lost,
  })
  lost.listeners?.onKeys(typed('jq'))
  failing.reject(new TrailBossError('DAEMON_HUNG', 'It does not answer.'))
  expect(await gone).toEqual({ kind: 'closed' })

  const waiting = fakeTerminal()
  const never = { ...daemon.client, queue: () => new Promise<QueueView>(() => {}) }
  const left = runPopup({ client: never, capture, terminal: waiting })
  waiting.listeners?.onKeys(typed('sqq'))
  expect(await left).toEqual({ kind: 'closed' })
})

test('snoozes the selected session until a typed time, and undoes it', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.press(...typed('z45m'))
  await popup.see('Snooze project-s1')
  popup.press({ kind: 'named', name: 'enter' })
  await popup.see('Snoozed project-s1')
  popup.press({ kind: 'text', text: 'u' })
  await popup.see('project-s1 is back in its place.')
  const s1 = { session: 's1', harness: 'claude-code' }
  expect(popup.daemon.skips).toEqual([
    { ...s1, cooldownMs: 2_700_000 },
    { ...s1, undo: true },
  ])
})

test('dismisses the selected session, and one that asks only with D', async () => {
  const popup = open([queueItem('s1', { reason: 'permission' }), queueItem('s2')])
  await popup.see('2 stuck')
  popup.press({ kind: 'text', text: 'd' })
  await popup.see('It waits for an answer. D dismisses it all the same.')
  popup.press({ kind: 'text', text: 'D' })
  await popup.see('Dismissed project-s1.')
  popup.press({ kind: 'text', text: 'j' }, { kind: 'text', text: 'd' })
  await popup.see('Dismissed project-s2.')
  popup.press({ kind: 'text', text: 'u' })
  await popup.see('project-s2 is back in its place.')
  popup.press({ kind: 'text', text: 'u' })
  await popup.see('project-s1 is back in its place.')
  popup.press({ kind: 'text', text: 'u' })
  await popup.see('Nothing is left to undo here.')
  const [s1, s2] = ['s1', 's2'].map((session) => ({ session, harness: 'claude-code' }))
  expect(popup.daemon.dismissals).toEqual([
    { ...s1, evenBlocked: true },
    s2,
    { ...s2, undo: true },
    { ...s1, undo: true },
  ])
})

test('a failed trigger is sent again or dismissed, and the popup shows the result', async () => {
  const popup = open([failedTriggerItem('trg_1'), failedTriggerItem('trg_2')])
  await popup.see('2 stuck')
  popup.press({ kind: 'text', text: 'r' })
  await popup.see('On its way again to ranch/reviewer, as trg_9.')
  popup.press({ kind: 'text', text: 'j' }, { kind: 'text', text: 'x' })
  await popup.see('Dismissed: ranch/reviewer does not get it.')
  expect(popup.daemon.posts).toEqual([
    ['/triggers/retry', { id: 'trg_1', by: 'ana' }],
    ['/triggers/cancel', { id: 'trg_2', by: 'ana' }],
  ])
})

test('says why a trigger could not be sent again', async () => {
  const popup = open([failedTriggerItem('trg_1')])
  await popup.see('1 stuck')
  popup.daemon.triggerAnswer = () => Promise.reject(new TrailBossError('TOO_LATE', 'It is gone.'))
  popup.press({ kind: 'text', text: 'r' })
  await popup.see('Not tried again. It is gone.')
})

test('says that the daemon is down, and finds it when it is back', async () => {
  const popup = open(two)
  await popup.see('2 stuck')
  popup.daemon.stop()
  await popup.see('Start it with: trailboss up')
  popup.daemon.start()
  await popup.see('2 stuck')
})

test('measures text exactly as soon as it can', async () => {
  const popup = open([queueItem('s1', { project: 'ตำ', ask: { text: 'x' } })])
  await popup.see('1 stuck')
  await waitFor(
    () =>
      popup.frames
        .at(-1)
        ?.split('\n')
        .every((line) => stringWidth(line) === 80),
    {
      what: 'every line to be 80 columns wide',
    },
  )
})

function typed(keys: string): Key[] {
  return [...keys].map((text) => ({ kind: 'text', text }))
}

type Popup = {
  daemon: ReturnType<typeof fakeDaemon>['client']
  terminal: FakeTerminal
  frames: string[]
  looks: string[]
  result: Promise<PopupResult>
  press(...keys: Key[]): void
  see(text: string): Promise<unknown>
}

function open(items: QueueView['items'], capturePane = capture): Popup {
  const terminal = fakeTerminal()
  opened.push(terminal)
  const daemon = fakeDaemon(items)
  const looks: string[] = []
  return {
    daemon: daemon.client,
    terminal,
    frames: terminal.frames,
    looks,
    result: runPopup({
      ...daemon,
      capture: (pane) => {
        looks.push(pane.id)
        return capturePane(pane)
      },
      terminal,
      by: 'ana',
    }),
    press: (...keys) => terminal.listeners?.onKeys(keys),
    see: (text) =>
      waitFor(() => terminal.frames.at(-1) ?? '', {
        what: `${text} on the screen`,
        until: (frame) => frame.includes(text),
        timeoutMs: 4_000,
      }),
  }
}

async function capture(pane: PaneRef): Promise<string | undefined> {
  return `screen of ${pane.id}\n`
}

function fakeDaemon(items: QueueView['items']) {
  let view: QueueView = { version: 1, items, working: 0 }
  let waiting: PromiseWithResolvers<QueueView> | undefined
  let isRunning = true
  const down = () =>
    new TrailBossError('DAEMON_DOWN', 'Gone.', { hint: 'Start it with: trailboss up' })
  const client = {
    asked: [] as string[],
    skips: [] as unknown[],
    dismissals: [] as unknown[],
    posts: [] as [string, object][],
    signal: undefined as AbortSignal | undefined,
    async queue(): Promise<QueueView> {
      client.asked.push('queue')
      if (!isRunning) throw down()
      return view
    },
    waitForQueue(version: number, signal?: AbortSignal): Promise<QueueView> {
      client.asked.push(`after ${version}`)
      client.signal = signal
      waiting = Promise.withResolvers<QueueView>()
      return waiting.promise
    },
    skip(target?: unknown): Promise<SkipView> {
      client.skips.push(target)
      return client.skipAnswer()
    },
    async dismiss(request: unknown): Promise<DismissView> {
      client.dismissals.push(request)
      return { dismissed: two[0] ?? null, head: null }
    },
    async post<View>(path: string, body: object): Promise<View> {
      client.posts.push([path, body])
      return (await client.triggerAnswer()) as View
    },
    triggerAnswer: async (): Promise<unknown> => ({ id: 'trg_9', agent: 'ranch/reviewer' }),
    skipAnswer: async (): Promise<SkipView> => ({ skipped: two[0] ?? null, head: null }),
    change(next: QueueView['items']) {
      view = { ...view, version: view.version + 1, items: next }
      waiting?.resolve(view)
    },
    stop() {
      isRunning = false
      waiting?.reject(down())
    },
    start() {
      isRunning = true
    },
  }
  return { client }
}
