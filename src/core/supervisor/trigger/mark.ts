/** Our nonce in a prompt, `[tb:k3f9x2m7q1]`: where it turns up, that prompt has arrived. Ten of a-z and 0-9. */
export type Mark = string

/** The marks in a text, each once, in their order. */
export function marksIn(text: string): Mark[] {
  const found = [...text.matchAll(/\[tb:([a-z0-9]{10})\]/g)].map(([, mark = '']) => mark)
  return [...new Set(found)].slice(0, MOST_MARKS)
}

/** What a prompt of ours begins with. */
export function markPrefix(mark: Mark): string {
  return `[tb:${mark}] `
}

/** A prompt of ours has one; whoever writes more only wants to keep us busy. */
const MOST_MARKS = 16

/** A new mark of ten random bytes, one for each character. */
export function markFrom(bytes: Uint8Array): Mark {
  return Array.from({ length: 10 }, (_, n) => LETTERS[(bytes[n] ?? 0) % LETTERS.length]).join('')
}

/** As many as five bits tell apart, so that none is likelier than another. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Text of somebody else's with nothing left in it that could pass for a mark of ours. */
export function withoutMarks(text: string): string {
  return text.replace(/\[(?=tb:)/gi, '(')
}
