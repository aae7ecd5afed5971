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
  if (isNamed('escape')) return [closed, []]
  if (isNamed('enter')) return sent(closed, entry, text)
  const edited = editedLine(text, key, MAX_REPLY_CHARS) ?? text
  return [{ ...model, reply: { ...model.reply, line: { entry, text: edited } } }, []]
}

export function takeReplyMessage(model: Model, message: ReplyMessage): Update {
  const { entry } = message
  if (message.kind === 'reply.written') return sent(model, entry, message.text)
  const asked = new Set([...model.asked].filter((key) => key !== entry.key))
  const drafts = new Map(model.reply.drafts)
  if (message.kind === 'reply.failed') drafts.set(entry.key, message.text)
  else drafts.delete(entry.key)
  const tone = message.kind === 'reply.done' ? 'info' : 'alert'
  const next = { ...model, asked, reply: { ...model.reply, drafts } }
  return [withNotice(next, message.message, tone), []]
}

const SENDING = 'That is being sent.'

function sent(model: Model, entry: Entry, text: string): Update {
  if (text.trim() === '') return [withNotice(model, 'Nothing was written, or sent.', 'info'), []]
  const asked = new Set(model.asked).add(entry.key)
  const next = withNotice({ ...model, asked }, `Sending to ${entry.name} …`, 'info')
  return [next, [{ kind: 'reply', entry, text }]]
}
