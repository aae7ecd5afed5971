/** What the operator pressed, as far as the popup cares. */
export type Key =
  | { kind: 'named'; name: KeyName }
  | { kind: 'text'; text: string }
  | { kind: 'paste'; text: string }

export type KeyName =
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'enter'
  | 'escape'
  | 'backspace'
  | `ctrl-${string}`

/** Bytes that are not a complete key yet, and whether they belong to a paste. */
export type KeyInput = { bytes: Uint8Array; mode: 'keys' | 'paste' }

export const noInput: KeyInput = { bytes: new Uint8Array(), mode: 'keys' }

const ESC = 0x1b
const PASTE_END = [ESC, ...'[201~'].map((char) => (typeof char === 'number' ? char : code(char)))
const MAX_PASTE_BYTES = 64 * 1024
const ESCAPE_WAIT_MS = 40
const PASTE_WAIT_MS = 1_000

/** The keys in the input so far; a key split over two chunks waits for its rest. */
export function readKeys(input: KeyInput, chunk: Uint8Array): [KeyInput, Key[]] {
  const bytes = joined(input.bytes, chunk)
  const keys: Key[] = []
  let { mode } = input
  let at = 0
  while (at < bytes.length) {
    const step = mode === 'paste' ? pasteAt(bytes, at) : keyAt(bytes, at)
    if (!step) break
    if (step.key) keys.push(step.key)
    mode = step.mode ?? 'keys'
    at += step.length
  }
  return [{ bytes: bytes.slice(at), mode }, keys]
}

/** How long to wait for the rest before `giveUp`; undefined if nothing is missing. */
export function patienceOf(input: KeyInput): number | undefined {
  if (input.mode === 'paste') return PASTE_WAIT_MS
  return input.bytes.length > 0 ? ESCAPE_WAIT_MS : undefined
}

/** The rest did not come: a lone ESC is the Escape key, and an unfinished paste ends here. */
export function giveUp(input: KeyInput): [KeyInput, Key[]] {
  if (input.mode === 'paste') return [noInput, [{ kind: 'paste', text: utf8(input.bytes) }]]
  return [noInput, input.bytes.length === 1 && input.bytes[0] === ESC ? [named('escape')] : []]
}

/** One step through the input: how many bytes it took, and their key, if any. */
type Step = { length: number; key?: Key; mode?: KeyInput['mode'] }

function keyAt(bytes: Uint8Array, at: number): Step | undefined {
  const byte = bytes[at]!
  if (byte === ESC) return escapeAt(bytes, at)
  if (byte >= 0x80) return characterAt(bytes, at)
  if (byte >= 0x20 && byte < 0x7f) {
    return { length: 1, key: { kind: 'text', text: String.fromCharCode(byte) } }
  }
  return { length: 1, key: controlKey(byte) }
}

function controlKey(byte: number): Key {
  // A terminal that was not raw yet when Enter was pressed sends a newline.
  if (byte === 0x0d || byte === 0x0a) return named('enter')
  if (byte === 0x7f || byte === 0x08) return named('backspace')
  return named(`ctrl-${String.fromCharCode(byte + 0x60)}`)
}

function escapeAt(bytes: Uint8Array, at: number): Step | undefined {
  const next = bytes[at + 1]
  if (next === undefined) return undefined
  if (next === ESC) return { length: 1, key: named('escape') }
  if (next === code('[')) return sequenceAt(bytes, at)
  if (next === code('O')) {
    const final = bytes[at + 2]
    if (final === undefined) return undefined
    const isKeypadEnter = final === code('M')
    return isKeypadEnter ? { length: 3, key: named('enter') } : sequenceStep(3, '', final)
  }
  // Alt with a key means nothing here, and must not close the popup as Escape would.
  const character = next >= 0x80 ? characterAt(bytes, at + 1) : { length: 1 }
  return character && { length: 1 + character.length }
}

function sequenceAt(bytes: Uint8Array, at: number): Step | undefined {
  for (let end = at + 2; end < bytes.length; end++) {
    const byte = bytes[end]!
    const isFinal = byte >= 0x40 && byte <= 0x7e
    if (isFinal) {
      return sequenceStep(end + 1 - at, String.fromCharCode(...bytes.slice(at + 2, end)), byte)
    }
    const isMalformed = byte < 0x20 || byte > 0x7e
    if (isMalformed) return { length: end - at }
  }
  return undefined
}

const FINALS: Record<string, KeyName> = { A: 'up', B: 'down', H: 'home', F: 'end' }

const TILDES: Record<string, KeyName> = {
  1: 'home',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
}

function sequenceStep(length: number, parameters: string, final: number): Step {
  const letter = String.fromCharCode(final)
  const first = parameters.split(';')[0] ?? ''
  if (letter === '~' && first === '200') return { length, mode: 'paste' }
  const name = letter === '~' ? TILDES[first] : FINALS[letter]
  return name ? { length, key: named(name) } : { length }
}

function pasteAt(bytes: Uint8Array, at: number): Step | undefined {
  const end = indexOfPasteEnd(bytes, at)
  if (end >= 0) {
    const key: Key = { kind: 'paste', text: utf8(bytes.slice(at, end)) }
    return { length: end - at + PASTE_END.length, key }
  }
  if (bytes.length - at <= MAX_PASTE_BYTES) return undefined
  return { length: bytes.length - at - PASTE_END.length, mode: 'paste' }
}

function indexOfPasteEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + PASTE_END.length <= bytes.length; at++) {
    if (PASTE_END.every((byte, offset) => bytes[at + offset] === byte)) return at
  }
  return -1
}

function characterAt(bytes: Uint8Array, at: number): Step | undefined {
  const length = utf8Length(bytes[at]!)
  if (length === 0) return { length: 1 }
  const rest = bytes.slice(at + 1, at + length)
  const stray = rest.findIndex((byte) => byte < 0x80 || byte > 0xbf)
  if (stray >= 0) return { length: 1 + stray }
  if (rest.length < length - 1) return undefined
  const text = utf8(bytes.slice(at, at + length))
  return /[\u0080-\u009f\ufffd]/.test(text) ? { length } : { length, key: { kind: 'text', text } }
}

function utf8Length(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  if (lead >= 0xf0 && lead <= 0xf4) return 4
  return 0
}

function named(name: KeyName): Key {
  return { kind: 'named', name }
}

function code(char: string): number {
  return char.charCodeAt(0)
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
