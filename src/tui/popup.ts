import type { DaemonClient } from '../client/daemon-client.ts'
import type { DecisionView } from '../contract/decision.ts'
import type { QueueItem } from '../contract/responses.ts'
import type { TriggerView } from '../contract/supervisor.ts'
import { messageOf, TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import { displayLine } from '../core/text.ts'
import { loadWantedGraphemes } from '../text/columns.ts'
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

export type PopupResult = { kind: 'jump'; item: QueueItem } | { kind: 'closed' }

export type PopupOptions = {
  client: Pick<DaemonClient, 'queue' | 'waitForQueue' | 'skip' | 'post'>
  /** What a pane shows now, with its colours; undefined if it cannot be read. */
  capture(pane: PaneRef): Promise<string | undefined>
  terminal?: Terminal
  /** Who decides here, for the audit. */
  by?: string
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
  { client, capture, by }: Omit<PopupOptions, 'terminal'>,
  feed: QueueFeed,
  terminal: Terminal,
  closing: AbortSignal,
): Promise<PopupResult> {
  const { promise, resolve, reject } = Promise.withResolvers<PopupResult>()
  let model = initialModel(terminal.size(), Date.now(), terminal.color)
  let phase: 'waiting' | 'shown' | 'left' = 'waiting'

  const leave = (result: PopupResult) => {
    phase = 'left'
    resolve(result)
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
        return void skipped(client, effect.entry).then((message) => dispatch([message]))
      case 'trigger':
        return void decided(client, effect.act, { id: effect.trigger, ...(by && { by }) }).then(
          (message) => dispatch([message]),
        )
      case 'answer':
        return void answered(client, effect, by).then((message) => dispatch([message]))
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
      onQueue: ({ items, working }) =>
        dispatchShown({ kind: 'queue.changed', entries: entriesOf(items), working }),
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

async function skipped(client: PopupOptions['client'], entry: Entry): Promise<Message> {
  const { session, harness } = entry.item
  try {
    const answer = await client.skip({ session, harness })
    if (!answer.skipped) {
      return { kind: 'skip.failed', message: `${entry.project} is not stuck any more.` }
    }
    return { kind: 'skip.done', project: entry.project, readyAt: answer.skipped.readyAt }
  } catch (error) {
    return { kind: 'skip.failed', message: `Not skipped. ${messageOf(error)}` }
  }
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
