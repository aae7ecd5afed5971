import { createInterface } from 'node:readline/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { DaemonClient } from '../../../client/daemon-client.ts'
import type { DecisionView } from '../../../contract/decision.ts'
import { messageOf } from '../../../core/errors.ts'
import { displayLine, visibleText } from '../../../core/text.ts'
import { plain } from '../../../text/paint.ts'
import { print, printFor } from '../../context/output.ts'
import { decisionText } from '../../render/decision-text.ts'

type Given = { choice: string; message?: string; edit?: boolean }
/** What was typed before the window had to be drawn again. */
type Draft = { text: string }
type Post = (decision: DecisionView, given: Given) => Promise<unknown>

const LOOK_MS = 500
const TYPED_AHEAD_MS = 300

/** Shows a decision and takes one key for it. Ends when it is settled, here or elsewhere. */
export async function answerInTerminal(
  client: DaemonClient,
  decision: DecisionView,
  post: Post,
): Promise<void> {
  let shown = decision
  const draft: Draft = { text: '' }
  await printFor((reader) => decisionText(shown, reader))
  while (shown.state === 'pending') {
    const given = await chosen(client, shown, draft)
    if (given === 'left') return
    if (given === 'changed') {
      shown = await client.get<DecisionView>(`/v1/decisions/${decision.id}`)
      if (shown.state !== 'pending') return print('It was settled elsewhere.')
      print('\nIts asker is back. This is all of it:\n')
      await printFor((reader) => decisionText(shown, reader))
      continue
    }
    try {
      await post(shown, given)
      return
    } catch (error) {
      print(`${messageOf(error)}`)
      shown = await client.get<DecisionView>(`/v1/decisions/${decision.id}`)
    }
  }
}

async function chosen(
  client: DaemonClient,
  decision: DecisionView,
  draft: Draft,
): Promise<Given | 'left' | 'changed'> {
  const { kind, options } = decision
  if (kind === 'question' && options.length === 0) {
    using change = whenChanged(client, decision)
    if (draft.text === '') await dropTypedAhead()
    const text = await line('Your answer (empty: not now): ', { signal: change.signal, draft })
    if (change.signal.aborted) return 'changed'
    return text?.trim() ? { choice: text.trim() } : 'left'
  }
  const keys = kind === 'permission' ? PERMISSION_KEYS : optionKeys(options)
  const hints = [...keys, { key: 'q', text: 'not now' }]
  await dropTypedAhead()
  await printFor(
    ({ paint = plain }) =>
      `\n${hints.map(({ key, text }) => `${paint('heading', key)} ${text}`).join('   ')}`,
  )
  const pressed = await pressedKey(client, decision, [...keys.map(({ key }) => key), 'q'])
  if (pressed === 'changed') return 'changed'
  const found = keys.find(({ key }) => key === pressed)
  if (!found) return 'left'
  if (!found.asksMessage) return found.given
  const message = await line('Why not? ')
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
    return { key: String(index + 1), text: displayLine(visibleText(choice)), given: { choice } }
  })
}

/** Undefined if the operator left it, or the decision changed. */
async function line(
  question: string,
  { signal, draft }: { signal?: AbortSignal; draft?: Draft } = {},
): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new Promise<undefined>((resolve) => {
    reader.once('close', () => resolve(undefined))
    signal?.addEventListener('abort', () => resolve(undefined))
  })
  try {
    const typed = reader.question(question)
    if (draft?.text) reader.write(draft.text)
    return await Promise.race([typed, ended])
  } finally {
    if (draft) draft.text = reader.line
    reader.close()
  }
}

/** Looks until somebody else has settled it, or its asker is back: only then all of it can be shown. */
function whenChanged(
  client: DaemonClient,
  { id, waiting: wasWaiting }: DecisionView,
): Disposable & { signal: AbortSignal } {
  const change = new AbortController()
  const look = setInterval(() => {
    client.get<DecisionView>(`/v1/decisions/${id}`).then(
      ({ state, waiting }) => {
        if (state !== 'pending' || (waiting && !wasWaiting)) change.abort()
      },
      // A daemon that is being restarted has it again in a moment.
      () => undefined,
    )
  }, LOOK_MS)
  return { signal: change.signal, [Symbol.dispose]: () => clearInterval(look) }
}

/** Keys that were on their way to another window must not answer this. */
async function dropTypedAhead(): Promise<void> {
  const { stdin } = process
  const drop = () => undefined
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
