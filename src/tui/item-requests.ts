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
  try {
    const answer = await client.skip({ ...named(entry), ...time })
    if (!answer.skipped) return notStuck(entry)
    const { readyAt } = answer.skipped
    const back = readyAt === null ? '' : `, back ${returnText(readyAt, Date.now())}`
    const text = `${time ? 'Snoozed' : 'Skipped'} ${entry.name}${back}.`
    return { kind: 'act.done', text, undoable: { act: 'skip', entry } }
  } catch (error) {
    return failed(time ? 'Not snoozed.' : 'Not skipped.', error)
  }
}

export async function dismissed(
  client: Client,
  { entry, evenBlocked }: Extract<Effect, { kind: 'dismiss' }>,
): Promise<Message> {
  try {
    const answer = await client.dismiss({ ...named(entry), ...(evenBlocked && { evenBlocked }) })
    if (!answer.dismissed) return notStuck(entry)
    const text = `Dismissed ${entry.name}. u brings it back.`
    return { kind: 'act.done', text, undoable: { act: 'dismiss', entry } }
  } catch (error) {
    return failed('Not dismissed.', error)
  }
}

export async function undone(client: Client, { act, entry }: Undoable): Promise<Message> {
  try {
    const request = { ...named(entry), undo: true }
    await (act === 'skip' ? client.skip(request) : client.dismiss(request))
    return { kind: 'act.done', text: `${entry.name} is back in its place.` }
  } catch (error) {
    return failed('Not undone.', error)
  }
}

function named({ item }: Entry): { session: string; harness: string } {
  return { session: item.session, harness: item.harness }
}

function notStuck({ name }: Entry): Message {
  return { kind: 'act.failed', message: `${name} is not stuck any more.` }
}

function failed(what: string, error: unknown): Message {
  return { kind: 'act.failed', message: `${what} ${messageOf(error)}` }
}
