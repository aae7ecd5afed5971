import { setTimeout as delay } from 'node:timers/promises'
import type { DaemonClient } from '../client/daemon-client.ts'
import type { DecisionView } from '../contract/decision.ts'
import { REPLY_TIMEOUT_MS } from '../contract/limits.ts'
import type { QueueItem } from '../contract/responses.ts'
import type { ReplyView, TriggerView } from '../contract/supervisor.ts'
import { type ErrorCode, messageOf, TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import type { SessionKey } from '../core/session/event.ts'
import { displayLine } from '../core/text.ts'
import { loadWantedGraphemes } from '../text/columns.ts'
import { deliveredText } from '../text/delivered.ts'
import { dismissed, skipped, undone } from './item-requests.ts'
import { type Entry, entriesOf } from './model/entry.ts'
import {
  type Effect,
  initialModel,
  type Message,
  selectedEntry,
  type TriggerChoice,
} from './model/model.ts'
import { watchPane } from './pane-watch.ts'
import { followQueue, type QueueFeed } from './queue-feed.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { update } from './update.ts'
import { view } from './view/view.ts'

const TICK_MS = 1_000
/** Nothing is drawn before this, so that a quick answer makes the first frame. */
const FIRST_FRAME_MS = 150
/** Whoever leaves waits this long for what they did just before. */
const LAST_REQUESTS_MS = 1_000

/** `isUnsure`: the daemon did not answer what was asked last. */
export type PopupResult = ({ kind: 'jump'; item: QueueItem } | { kind: 'closed' }) & {
  isUnsure?: boolean
}

export type PopupOptions = {
  client: Pick<DaemonClient, 'queue' | 'waitForQueue' | 'skip' | 'dismiss' | 'post'>
  /** What a pane shows now, with its colours; undefined if it cannot be read. */
  capture(pane: PaneRef): Promise<string | undefined>
  terminal?: Terminal
  /** Who decides here, for the audit. */
  by?: string
  /** The tmux client that shows the popup. */
  tmuxClient?: string
  /** The operator's editor, on this terminal: what they wrote. Throws if that failed. */
  edit?(draft: string): Promise<string>
}

/**
 * Shows the queue until the operator leaves it. When this settles, the terminal is restored; the caller does
 * the jump.
 */
export async function runPopup({
  terminal: given,
  ...options
}: PopupOptions): Promise<PopupResult> {
  const closing = new AbortController()
  // Asked before the terminal is set up, so that the answer is ready by then.
  const feed = followQueue(options.client, closing.signal)
  const terminal = given ?? openTerminal()
  try {
    return await interact(options, feed, terminal, closing.signal)
  } finally {
    closing.abort()
    terminal.close()
  }
}

async function interact(
  options: Omit<PopupOptions, 'terminal'>,
  feed: QueueFeed,
  terminal: Terminal,
  closing: AbortSignal,
): Promise<PopupResult> {
  const { client, capture, by } = options
  const { promise, resolve, reject } = Promise.withResolvers<PopupResult>()
  let model = initialModel(terminal.size(), Date.now(), terminal.color)
  let phase: 'waiting' | 'shown' | 'left' = 'waiting'

  const pending = new Set<Promise<void>>()
  const request = (asked: Promise<Message>) => {
    const done = asked.then((message) => dispatch([message])).finally(() => pending.delete(done))
    pending.add(done)
  }
  const turns = new Map<SessionKey, Promise<Message>>()
  /** What is done to one item in its order: an undo must find what it takes back. Nothing else waits. */
  const act = ({ key }: Entry, ask: () => Promise<Message>) => {
    const asked = turns.get(key)?.then(ask) ?? ask()
    turns.set(key, asked)
    request(
      asked.finally(() => {
        if (turns.get(key) === asked) turns.delete(key)
      }),
    )
  }
  const leave = (result: PopupResult) => {
    phase = 'left'
    if (pending.size === 0) return resolve(result)
    const tooLong = delay(LAST_REQUESTS_MS, true, { ref: false })
    const answered = Promise.all(pending).then(() => false)
    void Promise.race([answered, tooLong]).then((isUnsure) =>
      resolve(isUnsure ? { ...result, isUnsure } : result),
    )
  }
  const pane = watchPane({
    current: () => selectedEntry(model),
    capture,
    onCapture: (key, captured) => dispatch([{ kind: 'pane.captured', key, capture: captured }]),
  })
  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'jump':
        return leave({ kind: 'jump', item: effect.item })
      case 'close':
        return leave({ kind: 'closed' })
      case 'skip':
        return act(effect.entry, () => skipped(client, effect))
      case 'dismiss':
        return act(effect.entry, () => dismissed(client, effect))
      case 'undo':
        return act(effect.undo.entry, () => undone(client, effect.undo))
      case 'trigger':
        return request(decided(client, effect.act, { id: effect.trigger, ...(by && { by }) }))
      case 'answer':
        return request(answered(client, effect, by))
      case 'reply':
        return request(replied(options, effect))
      case 'write':
        return void written(options, effect, terminal).then((message) => dispatch([message]))
    }
  }
  const draw = () => {
    terminal.draw(view(model))
    // No frame waits for tables that few texts need; those texts are drawn again later.
    void loadWantedGraphemes()?.then(() => dispatch([{ kind: 'ticked' }]))
  }
  const apply = (messages: Message[]) => {
    const before = model.selected
    for (const message of messages) {
      if (phase === 'left' || closing.aborted) return
      const [next, effects] = update({ ...model, now: Date.now() }, message)
      model = next
      effects.forEach(perform)
    }
    if (phase === 'shown') draw()
    if (model.selected !== before) pane.look()
  }
  const dispatch = (messages: Message[]) => {
    try {
      apply(messages)
    } catch (error) {
      reject(error)
    }
  }
  const dispatchShown = (message: Message) => {
    if (phase === 'waiting') phase = 'shown'
    dispatch([message])
  }

  terminal.listen({
    onKeys: (keys) => dispatch(keys.map((key) => ({ kind: 'key', key }))),
    onResize: (size) => dispatch([{ kind: 'resized', size }]),
    onClose: () => leave({ kind: 'closed' }),
  })
  const patience = setTimeout(() => dispatchShown({ kind: 'ticked' }), FIRST_FRAME_MS)
  const ticks = setInterval(() => {
    dispatch([{ kind: 'ticked' }])
    pane.look()
  }, TICK_MS)
  try {
    const following = feed.start({
      onQueue: ({ items, working, reply }) =>
        dispatchShown({ kind: 'queue.changed', entries: entriesOf(items), working, reply }),
      onLost: (error) => dispatchShown(lossMessage(error)),
    })
    following.catch(reject)
    return await promise
  } finally {
    clearTimeout(patience)
    clearInterval(ticks)
  }
}

function lossMessage(error: unknown): Message {
  const hint = error instanceof TrailBossError ? error.hint : undefined
  const message = displayLine(messageOf(error))
  return { kind: 'daemon.lost', message, hint: displayLine(hint ?? 'Start it with: trailboss up') }
}

async function answered(
  client: PopupOptions['client'],
  { decision, choice }: Extract<Effect, { kind: 'answer' }>,
  by: string | undefined,
): Promise<Message> {
  try {
    const body = { choice, ...(by && { by }) }
    const { asker } = await client.post<DecisionView>(`/v1/decisions/${decision}/answer`, body)
    const text = choice === 'allow' ? `Allowed: ${asker.name} goes on.` : `Denied to ${asker.name}.`
    return { kind: 'request.done', text }
  } catch (error) {
    return { kind: 'request.failed', id: decision, message: `Not answered. ${messageOf(error)}` }
  }
}

async function replied(
  { client, by, tmuxClient }: Pick<PopupOptions, 'client' | 'by' | 'tmuxClient'>,
  { entry, text }: Extract<Effect, { kind: 'reply' }>,
): Promise<Message> {
  const { harness, session } = entry.item
  const who = { ...(by && { by }), ...(tmuxClient && { client: tmuxClient }) }
  try {
    const body = { harness, session, text, ...who }
    const view = await client.post<ReplyView>('/reply', body, { timeoutMs: REPLY_TIMEOUT_MS })
    return { kind: 'reply.done', entry, message: `${entry.name}: ${deliveredText(view)}` }
  } catch (error) {
    const code = error instanceof TrailBossError ? error.code : 'INTERNAL'
    const what = MAY_BE_TYPED.has(code) ? 'Not confirmed, look there.' : 'Not sent.'
    return { kind: 'reply.failed', entry, text, message: `${what} ${messageOf(error)}` }
  }
}

/** Without a clear answer, it may have been typed. */
const MAY_BE_TYPED = new Set<ErrorCode>([
  'REPLY_UNPROVED',
  'DAEMON_HUNG',
  'DAEMON_DOWN',
  'INTERNAL',
])

async function written(
  { edit }: Pick<PopupOptions, 'edit'>,
  { entry, draft }: Extract<Effect, { kind: 'write' }>,
  terminal: Terminal,
): Promise<Message> {
  try {
    const text = edit ? await terminal.lend(() => edit(draft)) : ''
    return { kind: 'reply.written', entry, text }
  } catch (error) {
    return { kind: 'reply.failed', entry, text: draft, message: messageOf(error) }
  }
}

async function decided(
  client: PopupOptions['client'],
  act: TriggerChoice,
  body: { id: string; by?: string },
): Promise<Message> {
  try {
    const answer = await client.post<TriggerView>(`/triggers/${act}`, body)
    const text =
      act === 'retry'
        ? `On its way again to ${answer.agent}, as ${answer.id}.`
        : `Dismissed: ${answer.agent} does not get it.`
    return { kind: 'request.done', text }
  } catch (error) {
    const what = act === 'retry' ? 'Not tried again.' : 'Not dismissed.'
    return { kind: 'request.failed', id: body.id, message: `${what} ${messageOf(error)}` }
  }
}
