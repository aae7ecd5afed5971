import { displayLine } from '../core/text.ts'
import {
  dismiss,
  snoozeKey,
  startSnooze,
  undo,
  withoutUndoable,
  withUndoable,
} from './item-keys.ts'
import type { Entry } from './model/entry.ts'
import type { Key } from './model/keys.ts'
import { editedLine } from './model/line-edit.ts'
import {
  type Effect,
  filterText,
  type Message,
  type Model,
  type PermissionChoice,
  select,
  selectedEntry,
  type TriggerChoice,
  type Update,
  visibleEntries,
  withNextSelected,
  withNotice,
} from './model/model.ts'
import { isUnread, refusedAct, withReading } from './reading.ts'
import { beginReply, close, takeReplyMessage, typeReply } from './update-reply.ts'
import { maxHelpTop } from './view/help.ts'
import { bodyRowsOf, layoutOf, maxAskTop } from './view/layout.ts'

const MAX_FILTER_CHARS = 200

/** `model.now` is the time at which the message arrived. */
export function update(model: Model, message: Message): Update {
  const [next, effects] = step(model, message)
  return [settled(withReading(model, next, message)), effects]
}

function step(model: Model, message: Message): Update {
  switch (message.kind) {
    case 'key':
      return pressKey({ ...model, notice: undefined }, message.key)
    case 'resized':
      return [{ ...model, size: message.size }, []]
    case 'ticked':
      return [model, []]
    case 'queue.changed':
      return takeQueue(afterQueue(model, message), message.entries)
    case 'daemon.lost': {
      const { message: text, hint } = message
      const connection = { kind: 'down', message: text, hint } as const
      const down = { ...model, connection, entries: [], captures: new Map() }
      return [down, held(model).some(isLeaveKey) ? [{ kind: 'close' }] : []]
    }
    case 'pane.captured': {
      const captures = new Map(model.captures).set(message.key, message.capture)
      return [{ ...model, captures }, []]
    }
    case 'act.done':
      return [withNotice(model, message.text, 'info'), []]
    case 'act.failed':
      return [withNotice(withoutUndoable(model, message.act), message.message, 'alert'), []]
    case 'undo.failed':
      return [withNotice(withUndoable(model, message.act), message.message, 'alert'), []]
    case 'request.done':
      return [withNotice(model, message.text, 'info'), []]
    case 'request.failed': {
      const asked = new Set([...model.asked].filter((id) => id !== message.id))
      const next = { ...model, asked, leaving: undefined }
      return [withNotice(next, message.message, 'alert'), []]
    }
    case 'reply.written':
    case 'reply.done':
    case 'reply.failed':
      return takeReplyMessage(model, message)
    default:
      return message satisfies never
  }
}

function afterQueue(
  model: Model,
  { working, reply }: Extract<Message, { kind: 'queue.changed' }>,
): Model {
  return { ...model, working, reply: { ...model.reply, isOn: reply === true } }
}

function takeQueue(model: Model, entries: Entry[]): Update {
  const keys = new Set(entries.map(({ key }) => key))
  const captures = new Map([...model.captures].filter(([key]) => keys.has(key)))
  const before = visibleEntries(model).findIndex(({ key }) => key === model.selected)
  let next: Model = { ...model, connection: { kind: 'live' }, entries, captures }
  if (!selectedEntry(next)) next = select(next, Math.max(0, before))
  const effects: Effect[] = []
  for (const key of held(model)) {
    const [after, more] = pressKey(settled(next), key)
    next = after
    effects.push(...more)
    if (more.some(({ kind }) => kind === 'jump' || kind === 'close')) break
  }
  return [next, effects]
}

function pressKey(model: Model, key: Key): Update {
  if (isNamed(key, 'ctrl-c')) return [model, [{ kind: 'close' }]]
  if (model.screen === 'help') return [pressHelpKey(model, key), []]
  if (model.snoozing) return snoozeKey(model, model.snoozing, key)
  if (model.reply.line) return typeReply(model, model.reply.line, key)
  if (model.filter.kind === 'typing') return typeFilter(model, model.filter.text, key)
  if (key.kind === 'paste') return [model, []]
  if (isNamed(key, 'escape') && model.filter.kind === 'on') {
    return [refilter(model, { kind: 'off' }), []]
  }
  if (isHeld(model, key)) {
    return [{ ...model, connection: { kind: 'connecting', held: [...held(model), key] } }, []]
  }
  if (isLeaveKey(key)) return close(model)
  return pressListKey(model, key.kind === 'named' ? key.name : key.text)
}

/** Pressed before the first answer. */
function held({ connection }: Model): Key[] {
  return connection.kind === 'connecting' ? connection.held : []
}

/** Whoever leaves after other keys leaves after their effect, unless they press it again. */
function isHeld(model: Model, key: Key): boolean {
  if (model.connection.kind !== 'connecting') return false
  const before = held(model)
  return !isLeaveKey(key) || (before.length > 0 && !before.some(isLeaveKey))
}

function isLeaveKey(key: Key): boolean {
  return isNamed(key, 'escape') || isText(key, 'q')
}

/** The help may be longer than the screen; any key that does not scroll it closes it. */
function pressHelpKey(model: Model, key: Key): Model {
  const name = key.kind === 'named' ? key.name : key.text
  const by = HELP_STEPS[name] ?? 0
  const most = maxHelpTop(model)
  if (by === 0 || most === 0) return { ...model, screen: 'list', helpTop: 0 }
  const page = Math.max(1, bodyRowsOf(model.size) - 1)
  const step = Math.abs(by) > 1 ? Math.sign(by) * page : by
  return { ...model, helpTop: Math.min(most, Math.max(0, model.helpTop + step)) }
}

const HELP_STEPS: Readonly<Record<string, number>> = {
  ...{ up: -1, k: -1, K: -1, 'ctrl-p': -1, down: 1, j: 1, J: 1, 'ctrl-n': 1 },
  ...{ 'page-up': -2, 'page-down': 2, ' ': 2 },
}

function pressListKey(model: Model, key: string): Update {
  const entries = visibleEntries(model)
  const index = entries.findIndex((entry) => entry.key === model.selected)
  const page = Math.max(1, layoutOf(model).askRows - 1)
  const refused = refusedAct(model, key)
  if (refused) return refused
  switch (key) {
    case 'up':
    case 'k':
    case 'ctrl-p':
      return [select(model, index - 1), []]
    case 'down':
    case 'j':
    case 'ctrl-n':
      return [select(model, index + 1), []]
    case 'home':
    case 'g':
      return [select(model, 0), []]
    case 'end':
    case 'G':
      return [select(model, entries.length - 1), []]
    case 'K':
      return [{ ...model, askTop: model.askTop - 1 }, []]
    case 'J':
      return [{ ...model, askTop: model.askTop + 1 }, []]
    case 'page-up':
      return [{ ...model, askTop: model.askTop - page }, []]
    case 'page-down':
      return [{ ...model, askTop: model.askTop + page }, []]
    case 'enter':
      return jump(model, entries[index])
    case 's':
      return skip(model, entries[index])
    case 'd':
      return dismiss(model, entries[index], { evenBlocked: false })
    case 'D':
      return dismiss(model, entries[index], { evenBlocked: true })
    case 'z':
      return [startSnooze(model, entries[index]), []]
    case 'u':
      return undo(model)
    case 'r':
      return decideTrigger(model, entries[index], 'retry')
    case 'x':
      return decideTrigger(model, entries[index], 'cancel')
    case 'y':
      return answer(model, entries[index], 'allow')
    case 'n':
      return answer(model, entries[index], 'deny')
    case 'm':
      return beginReply(model, entries[index], 'line')
    case 'M':
      return beginReply(model, entries[index], 'editor')
    case '/':
      return [{ ...model, filter: { kind: 'typing', text: filterText(model) } }, []]
    case '?':
      return [{ ...model, screen: 'help' }, []]
    default:
      return /^[1-9]$/.test(key) ? jumpToNumber(model, entries, Number(key)) : [model, []]
  }
}

function jumpToNumber(model: Model, entries: Entry[], number: number): Update {
  const entry = entries[number - 1]
  if (!entry) return [withNotice(model, `There is no number ${number} in the list.`, 'info'), []]
  return jump(select(model, number - 1), entry)
}

function jump(model: Model, entry: Entry | undefined): Update {
  if (!entry) return [model, []]
  const { item } = entry
  if (item.pane || item.open) return [model, [{ kind: 'jump', item }]]
  const text = `No pane to go to: Trail Boss knows of no pane for ${entry.name}.`
  return [withNotice(model, text, 'alert'), []]
}

function skip(model: Model, entry: Entry | undefined): Update {
  if (!entry) return [model, []]
  if (!entry.item.ready) return [withNotice(model, 'It is skipped already.', 'info'), []]
  const next = withUndoable(withNextSelected(model), { act: 'skip', entry })
  return [next, [{ kind: 'skip', entry }]]
}

/** A trigger may still be listed after its request. */
function decideTrigger(model: Model, entry: Entry | undefined, act: TriggerChoice): Update {
  const trigger = entry?.trigger
  if (trigger === undefined) return [model, []]
  if (model.asked.has(trigger)) return [withNotice(model, 'That is being done.', 'info'), []]
  const asked = new Set(model.asked).add(trigger)
  return [{ ...model, asked, leaving: entry?.key }, [{ kind: 'trigger', act, trigger }]]
}

function answer(model: Model, entry: Entry | undefined, choice: PermissionChoice): Update {
  const decision = entry?.permission
  if (decision === undefined) return [model, []]
  if (isUnread(model)) {
    return [
      withNotice(model, 'Not answered: it has only just come up. Press it again.', 'alert'),
      [],
    ]
  }
  const isHidden = entry?.isCut || layoutOf(model).askRows === 0
  if (isHidden && choice === 'allow') {
    const text = 'Not answered: it is longer than what is shown here. Enter shows all of it.'
    return [withNotice(model, text, 'alert'), []]
  }
  if (model.asked.has(decision)) return [withNotice(model, 'That is being done.', 'info'), []]
  const asked = new Set(model.asked).add(decision)
  return [{ ...model, asked }, [{ kind: 'answer', decision, choice }]]
}

function typeFilter(model: Model, text: string, key: Key): Update {
  const edited = editedLine(text, key, MAX_FILTER_CHARS)
  const isLeft = text === '' && isNamed(key, 'backspace')
  if (isLeft || isNamed(key, 'escape')) return [refilter(model, { kind: 'off' }), []]
  if (edited !== undefined) return [refilter(model, { kind: 'typing', text: edited }), []]
  if (key.kind !== 'named') return [model, []]
  switch (key.name) {
    case 'enter':
      return jump(model, selectedEntry(model))
    // Tab
    case 'ctrl-i': {
      const accepted = displayLine(text)
      return [refilter(model, accepted ? { kind: 'on', text: accepted } : { kind: 'off' }), []]
    }
    case 'up':
    case 'down':
    case 'ctrl-p':
    case 'ctrl-n':
    case 'page-up':
    case 'page-down':
      return pressListKey(model, key.name)
    default:
      return [model, []]
  }
}

function refilter(model: Model, filter: Model['filter']): Model {
  const next = { ...model, filter }
  return selectedEntry(next) ? next : select(next, 0)
}

/** Keeps the selected row on screen and the scroll positions within their bounds. */
function settled(model: Model): Model {
  const notice = model.notice && model.notice.until > model.now ? model.notice : undefined
  const entries = visibleEntries(model)
  const { list } = layoutOf(model)
  const index = Math.max(
    0,
    entries.findIndex(({ key }) => key === model.selected),
  )
  const lowest = Math.max(0, entries.length - list.rows)
  const listTop = Math.max(Math.min(model.listTop, lowest, index), index - list.rows + 1)
  const askTop = Math.min(Math.max(0, model.askTop), maxAskTop(model))
  return { ...model, notice, listTop, askTop }
}

function isNamed(key: Key, name: string): boolean {
  return key.kind === 'named' && key.name === name
}

function isText(key: Key, text: string): boolean {
  return key.kind === 'text' && key.text === text
}
