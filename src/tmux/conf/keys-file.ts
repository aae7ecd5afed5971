import { readBindings } from './bindings.ts'
import { type Keys, NO_START, ourAction, SEGMENT_SUFFIX } from './keys.ts'

/** What an earlier install chose, so that the next one keeps it. */
export type KeysFileChoice = { keys: Keys; status: boolean; start: boolean }

/** Reads what `renderConf` has written. */
export function readKeysFile(text: string): KeysFileChoice {
  const keys: Keys = {}
  for (const { key, command } of readBindings(text).bindings.values()) {
    const action = ourAction(command)
    if (action) keys[action] = key
  }
  return {
    keys,
    status: text.includes(SEGMENT_SUFFIX),
    start: !text.split('\n').includes(NO_START),
  }
}
