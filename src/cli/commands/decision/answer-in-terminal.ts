import { setTimeout as delay } from 'node:timers/promises'
import type { DaemonClient } from '../../../client/daemon-client.ts'
import type { DecisionView } from '../../../contract/decision.ts'
import { messageOf } from '../../../core/errors.ts'
import { displayLine, visibleLine } from '../../../core/text.ts'
import { plain } from '../../../text/paint.ts'
import { beforeEnding } from '../../context/before-ending.ts'
import { print, printFor } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { isLong, readInPager, showDecision } from './shown-decision.ts'
import { answerText, nothingTyped, type Typing } from './typed-text.ts'
import { untilRead } from './until-read.ts'

type Given = { choice: string; message?: string; edit?: boolean }
type Post = (decision: DecisionView, given: Given) => Promise<unknown>

const LOOK_MS = 500
const TYPED_AHEAD_MS = 300
const STILL_TYPING_MS = 2_000

/** Shows all of it and takes one key, as the window that Next opens does. Nothing that was typed before counts. */
export async function answerInTerminal(
  client: DaemonClient,
  decision: DecisionView,
  post: Post,
): Promise<void> {
  let shown = decision
  const typing = nothingTyped()
  using _ = beforeEnding(() => process.stdin.setRawMode(false))
  await showDecision(shown)
  while (shown.state === 'pending') {
    const given = await chosen(client, shown, typing)
    if (given === 'left') return
    if (given === 'read') {
      await readInPager(shown)
      typing.lastKeyAt = performance.now()
      await showDecision(shown)
      continue
    }
    const before = shown
    // Somebody may have settled it, or its asker may be back, since the last look.
    if (given === 'changed' || !shown.waiting) shown = await asItIsNow(client, shown)
    if (shown.state !== 'pending') return await settledElsewhere(shown, typing)
    if (await showIfBack(before, shown)) continue
    if (given === 'changed') continue
    try {
      await post(shown, given)
      return
    } catch (error) {
      print(messageOf(error))
      shown = await asItIsNow(client, shown)
      if (shown.state !== 'pending') await untilRead()
      else await showIfBack(before, shown)
    }
  }
}

/** All of it is known only while its asker waits. True if the asker is back, and it is shown again. */
async function showIfBack(before: DecisionView, now: DecisionView): Promise<boolean> {
  if (before.waiting || !now.waiting) return false
  print('\nIts asker is back. This is all of it:\n')
  await showDecision(now)
  return true
}

async function asItIsNow(client: DaemonClient, { id }: DecisionView): Promise<DecisionView> {
  try {
    const get = () => client.get<DecisionView>(`/v1/decisions/${id}`)
    return await patiently(get, 'What you typed is kept.')
  } catch (error) {
    print(messageOf(error))
    await untilRead()
    throw error
  }
}

/** Whoever types would type on into what is below this window. */
async function settledElsewhere(decision: DecisionView, typing: Typing): Promise<void> {
  const { answer } = decision
  const how = answer ? `${displayLine(answer.choice)}, by ${displayLine(answer.by)}` : 'withdrawn'
  print(`\nIt was settled elsewhere: ${how}.`)
  const isTyping = performance.now() - typing.lastKeyAt < STILL_TYPING_MS
  if (isTyping || typing.draft !== '') await untilRead()
}

async function chosen(
  client: DaemonClient,
  decision: DecisionView,
  typing: Typing,
): Promise<Given | 'left' | 'changed' | 'read'> {
  const { kind, options } = decision
  if (kind === 'question' && options.length === 0) {
    using change = whenChanged(client, decision)
    if (typing.draft === '') await dropTypedAhead(typing)
    const text = await answerText('Your answer (empty: not now): ', typing, change.signal)
    if (change.signal.aborted) return 'changed'
    typing.draft = text?.trim() ?? ''
    return typing.draft ? { choice: typing.draft } : 'left'
  }
  const keys = kind === 'permission' ? PERMISSION_KEYS : optionKeys(options)
  const more = isLong(decision) ? [{ key: 'v', text: 'read all' }] : []
  const hints = [...keys, ...more, { key: 'q', text: 'not now' }]
  await dropTypedAhead(typing)
  await printFor(
    ({ paint = plain }) =>
      `\n${hints.map(({ key, text }) => `${paint('heading', key)} ${text}`).join('   ')}`,
  )
  const taken = hints.map(({ key }) => key)
  const pressed = await pressedKey(client, decision, taken, typing)
  if (pressed === 'changed') return 'changed'
  if (pressed === 'v') return 'read'
  const found = keys.find(({ key }) => key === pressed)
  if (!found) return 'left'
  if (!found.asksMessage) return found.given
  const message = await answerText('Why not? ', nothingTyped())
  return message === undefined ? 'left' : { ...found.given, message }
}

type Choice = { key: string; text: string; given: Given; asksMessage?: boolean }

const PERMISSION_KEYS: readonly Choice[] = [
  { key: 'y', text: 'allow', given: { choice: 'allow' } },
  { key: 'e', text: 'change the input, then allow', given: { choice: 'allow', edit: true } },
  { key: 'n', text: 'deny', given: { choice: 'deny' } },
  { key: 'm', text: 'deny and say why', given: { choice: 'deny' }, asksMessage: true },
]

function optionKeys(options: readonly string[]): Choice[] {
  return options.map((choice, index) => {
    return { key: String(index + 1), text: visibleLine(choice), given: { choice } }
  })
}

/** Looks until somebody else has settled it, or its asker is back: only then all of it can be shown. */
function whenChanged(
  client: DaemonClient,
  { id, waiting: wasWaiting }: DecisionView,
): Disposable & { signal: AbortSignal } {
  const change = new AbortController()
  let isOver = false
  const look = setInterval(() => {
    client.get<DecisionView>(`/v1/decisions/${id}`).then(
      ({ state, waiting }) => {
        if (!isOver && (state !== 'pending' || (waiting && !wasWaiting))) change.abort()
      },
      // A daemon that is being restarted has it again in a moment.
      () => undefined,
    )
  }, LOOK_MS)
  const end = () => {
    isOver = true
    clearInterval(look)
  }
  return { signal: change.signal, [Symbol.dispose]: end }
}

/** Keys that were on their way to another window must not answer this. */
async function dropTypedAhead(typing: Typing): Promise<void> {
  const { stdin } = process
  const drop = () => {
    typing.lastKeyAt = performance.now()
  }
  stdin.setRawMode(true)
  stdin.on('data', drop)
  stdin.resume()
  await delay(TYPED_AHEAD_MS)
  stdin.off('data', drop)
  stdin.setRawMode(false)
}

/** The first of these keys that is pressed, unless the decision changes before. */
function pressedKey(
  client: DaemonClient,
  decision: DecisionView,
  keys: readonly string[],
  typing: Typing,
): Promise<string | 'changed'> {
  const { stdin } = process
  return new Promise((resolve) => {
    const finish = (key: string) => {
      change[Symbol.dispose]()
      stdin.off('data', take)
      stdin.off('end', leave)
      stdin.setRawMode(false)
      stdin.pause()
      resolve(key)
    }
    const leave = () => finish('q')
    const take = (data: Buffer) => {
      typing.lastKeyAt = performance.now()
      const text = data.toString()
      if (text === '\u0003' || text === '\u0004' || text === '\u001b') return leave()
      if (keys.includes(text)) finish(text)
    }
    const change = whenChanged(client, decision)
    change.signal.addEventListener('abort', () => finish('changed'))
    stdin.setRawMode(true)
    stdin.resume()
    stdin.on('data', take)
    stdin.once('end', leave)
  })
}
