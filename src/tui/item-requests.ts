import type { DaemonClient } from '../client/daemon-client.ts'
import { messageOf } from '../core/errors.ts'
import { returnText } from '../text/return-time.ts'
import type { Entry } from './model/entry.ts'
import type { Effect, Message, Undoable } from './model/model.ts'

type Client = Pick<DaemonClient, 'skip' | 'dismiss'>

/** What the operator does to an item, and what came back. */

export async function skipped(
  client: Client,
  { entry, time }: Extract<Effect, { kind: 'skip' }>,
): Promise<Message> {
  const act: Undoable = { act: 'skip', entry }
  try {
    const answer = await client.skip({ ...named(entry), ...time })
    if (!answer.skipped) return notStuck(act)
    const { readyAt } = answer.skipped
    const back = readyAt === null ? '' : `, back ${returnText(readyAt, Date.now())}`
    const text = `${time ? 'Snoozed' : 'Skipped'} ${entry.name}${back}.`
    return { kind: 'act.done', text }
  } catch (error) {
    return failed(time ? 'Not snoozed.' : 'Not skipped.', error, act)
  }
}

export async function dismissed(
  client: Client,
  { entry, evenBlocked }: Extract<Effect, { kind: 'dismiss' }>,
): Promise<Message> {
  const act: Undoable = { act: 'dismiss', entry }
  try {
    const answer = await client.dismiss({ ...named(entry), ...(evenBlocked && { evenBlocked }) })
    if (!answer.dismissed) return notStuck(act)
    return { kind: 'act.done', text: `Dismissed ${entry.name}. u brings it back.` }
  } catch (error) {
    return failed('Not dismissed.', error, act)
  }
}

export async function undone(client: Client, undoable: Undoable): Promise<Message> {
  const { act, entry } = undoable
  try {
    const request = { ...named(entry), undo: true }
    await (act === 'skip' ? client.skip(request) : client.dismiss(request))
    return { kind: 'act.done', text: `${entry.name} is back in its place.` }
  } catch (error) {
    return { kind: 'undo.failed', message: `Not undone. ${messageOf(error)}`, act: undoable }
  }
}

function named({ item }: Entry): { session: string; harness: string } {
  return { session: item.session, harness: item.harness }
}

function notStuck(act: Undoable): Message {
  return { kind: 'act.failed', message: `${act.entry.name} is not stuck any more.`, act }
}

function failed(what: string, error: unknown, act: Undoable): Message {
  return { kind: 'act.failed', message: `${what} ${messageOf(error)}`, act }
}
