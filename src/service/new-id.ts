import { randomBytes } from 'node:crypto'

/** Such as `th_4k8x…`: short enough to be typed, too long to be guessed or met twice. */
export function newId(prefix: string): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length])
  return `${prefix}_${letters.join('')}`
}

const LENGTH = 12
/** 32 of them, so that none is likelier than another; none that is easily taken for another. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
