import { REPLY_LETTER } from '../../session/event.ts'

/** Our nonce in a prompt, `[tb:k3f9x2m7q1]`: where it turns up, that prompt has arrived. Ten of a-z and 0-9. */
export type Mark = string

/** The distinct marks in a text, in order. */
export function marksIn(text: string): Mark[] {
  const found = [...text.matchAll(/\[tb:([a-z0-9]{10})\]/g)].map(([, mark = '']) => mark)
  return [...new Set(found)].slice(0, MOST_MARKS)
}

/** The beginning of each of our prompts. */
export function markPrefix(mark: Mark): string {
  return `[tb:${mark}] `
}

/** A prompt of ours has one; whoever writes more only wants to keep us busy. */
const MOST_MARKS = 16

/** A new mark from ten random bytes, one for each character. */
export function markFrom(bytes: Uint8Array): Mark {
  return Array.from({ length: 10 }, (_, n) => LETTERS[(bytes[n] ?? 0) % LETTERS.length]).join('')
}

/** The same for a reply of the operator. */
export function replyMarkFrom(bytes: Uint8Array): Mark {
  return `${REPLY_LETTER}${markFrom(bytes).slice(1)}`
}

/** 32 characters, as many as five bits can tell apart, so that all are equally likely. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Somebody else's text, without anything that could pass for one of our marks. */
export function withoutMarks(text: string): string {
  return text.replace(/\[(?=tb:)/gi, '(')
}
