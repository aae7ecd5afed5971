import { itemObstacle } from '../core/supervisor/reply/obstacle.ts'
import type { Entry } from './model/entry.ts'
import type { Key } from './model/keys.ts'
import { editedLine } from './model/line-edit.ts'
import { type Model, type ReplyMessage, type Update, withNotice } from './model/model.ts'

const MAX_REPLY_CHARS = 4_000
const OFF = 'Replies are off. Set "reply": true in config.json, then: trailboss restart'

/** Begins a reply: in the footer, or in the operator's editor. What was not delivered before is still there. */
export function beginReply(
  model: Model,
  entry: Entry | undefined,
  where: 'line' | 'editor',
): Update {
  if (!entry) return [model, []]
  const obstacle = model.reply.isOn ? itemObstacle(entry.item) : OFF
  if (obstacle) return [withNotice(model, obstacle, 'alert'), []]
  if (model.asked.has(entry.key)) return [withNotice(model, SENDING, 'info'), []]
  const draft = model.reply.drafts.get(entry.key) ?? ''
  if (where === 'editor') return [model, [{ kind: 'write', entry, draft }]]
  const line = { entry, text: draft.replaceAll('\n', ' ').slice(0, MAX_REPLY_CHARS) }
  return [{ ...model, reply: { ...model.reply, line } }, []]
}

export function typeReply(model: Model, line: { entry: Entry; text: string }, key: Key): Update {
  const { entry, text } = line
  const isNamed = (name: string) => key.kind === 'named' && key.name === name
  const closed = { ...model, reply: { ...model.reply, line: undefined } }
  if (isNamed('escape')) return [withDraft(closed, entry, text), []]
  if (isNamed('enter')) return sent(closed, entry, text)
  const edited = editedLine(text, key, MAX_REPLY_CHARS) ?? text
  return [{ ...model, reply: { ...model.reply, line: { entry, text: edited } } }, []]
}

export function takeReplyMessage(model: Model, message: ReplyMessage): Update {
  const { entry } = message
  if (message.kind === 'reply.written') return sent(model, entry, message.text)
  const asked = new Set([...model.asked].filter((key) => key !== entry.key))
  const isDone = message.kind === 'reply.done'
  const known = withDraft({ ...model, asked }, entry, isDone ? '' : message.text)
  const sending = Math.max(0, known.reply.sending - Number(model.asked.has(entry.key)))
  const reply = { ...known.reply, sending, isLeaving: isDone && known.reply.isLeaving }
  const next = withNotice({ ...known, reply }, message.message, isDone ? 'info' : 'alert')
  return [next, reply.isLeaving && sending === 0 ? [{ kind: 'close' }] : []]
}

/** Whoever leaves at once would not learn whether it arrived. */
export function close(model: Model): Update {
  if (model.reply.sending === 0 || model.reply.isLeaving) return [model, [{ kind: 'close' }]]
  const leaving = { ...model, reply: { ...model.reply, isLeaving: true } }
  const text = 'Closes when the reply has arrived. Press it again to close now.'
  return [withNotice(leaving, text, 'info'), []]
}

function withDraft(model: Model, { key }: Entry, text: string): Model {
  const drafts = new Map(model.reply.drafts)
  if (text.trim() === '') drafts.delete(key)
  else drafts.set(key, text)
  return { ...model, reply: { ...model.reply, drafts } }
}

const SENDING = 'That is being sent.'

function sent(model: Model, entry: Entry, text: string): Update {
  if (text.trim() === '') return [withNotice(model, 'Nothing was written, or sent.', 'info'), []]
  const asked = new Set(model.asked).add(entry.key)
  const reply = { ...model.reply, sending: model.reply.sending + 1 }
  const next = withNotice({ ...model, asked, reply }, `Sending to ${entry.name} …`, 'info')
  return [next, [{ kind: 'reply', entry, text }]]
}
