import { type Config, defaultConfig } from '../../config/config.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { readBindings } from '../../tmux/conf/bindings.ts'
import {
  type Conflict,
  type KeyPlan,
  planKeys,
  type TakenKey,
} from '../../tmux/conf/key-conflicts.ts'
import { checkKeys, type KeyAction, type Keys } from '../../tmux/conf/keys.ts'
import { defaultBindings, liveBindings } from '../../tmux/conf/live-keys.ts'
import type { InstallIo } from './install-io.ts'

export const ACTIONS: Record<KeyAction, { name: string; meaning: string }> = {
  next: { name: 'Next', meaning: 'go to the oldest stuck session' },
  popup: { name: 'Popup', meaning: 'pick from the queue' },
  skip: { name: 'Skip', meaning: 'skip this one and go to the next' },
  back: { name: 'Back', meaning: 'back to where you were, and forward again' },
  dismiss: { name: 'Dismiss', meaning: 'this one needs nothing, go to the next' },
  drain: { name: 'Drain', meaning: 'after an answer, go to the next by itself: on or off' },
}

export type KeyRequest = {
  /** From the flags of this call. */
  given: Keys
  config: Config
  /** What an earlier install bound. */
  earlier: Keys
  /** The text of tmux's configuration files, except our own. */
  confText: string
  socket: string
}

/** Flags come first, then config.json, then what an earlier install bound. Throws if something is not a key. */
export async function chooseKeys(request: KeyRequest, io: InstallIo): Promise<KeyPlan> {
  const { given, earlier, config, confText, socket } = request
  const usual: Keys = defaultConfig().keys
  const wanted: Keys = {}
  const asked = new Set<KeyAction>()
  for (const action of Object.keys(ACTIONS) as KeyAction[]) {
    const configured = config.keys[action] === usual[action] ? undefined : config.keys[action]
    const chosen = given[action] ?? configured
    if (chosen !== undefined) asked.add(action)
    wanted[action] = chosen ?? earlier[action] ?? usual[action]
  }
  checkKeys(wanted)
  const live = await liveBindings(socket)
  if (!live.ok && live.kind !== 'no-server') {
    io.note(`The tmux server at ${socket} does not answer, so its keys could not be looked at.`)
  }
  const taken = {
    files: readBindings(confText).bindings,
    live: live.ok ? live.bindings : new Map(),
    defaults: await defaultBindings(),
  }
  return planKeys(wanted, taken, asked)
}

/** A sentence for each key that did not turn out as expected. */
export function keyNotes({ keys, conflicts, replaced }: KeyPlan): string[] {
  return [
    ...conflicts.map((taken) => takenNote(taken, keys)),
    ...replaced.map(
      ({ key, command }) => `prefix ${key} takes the place of tmux's own: ${commandText(command)}`,
    ),
  ]
}

function takenNote({ action, key, command, where, free }: TakenKey, keys: Keys): string {
  const { name } = ACTIONS[action]
  const outcome = keys[action]
    ? `prefix ${keys[action]} is for ${name} instead`
    : `${name} has no key${free ? `; prefix ${free} is free` : ''}`
  return `prefix ${key} is left alone, ${where} binds it: ${commandText(command)}\n  ${outcome}. Choose another: --key-${action} KEY`
}

/** The same in one line of an 80-column terminal, for users who have no other place to read it. */
export function shortKeyNote({ action, key }: Conflict, keys: Keys): string {
  const outcome = keys[action] ? `is on prefix ${keys[action]}` : 'has no key'
  return `prefix ${key} is taken: ${ACTIONS[action].name} ${outcome}`
}

function commandText(command: string[]): string {
  return truncate(displayLine(command.join(' ')), 80)
}
