import { randomBytes } from 'node:crypto'

/** Such as `th_4k8x…`: short enough to type, too long to guess or to repeat by accident. */
export function newId(prefix: string): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length])
  return `${prefix}_${letters.join('')}`
}

const LENGTH = 12
/** 32 characters, so that all are equally likely, without any that look alike. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
