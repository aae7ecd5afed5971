import { displayLine } from '../text.ts'

/**
 * Short, and the same for texts that a reader would call identical: letter case, white space and invisible
 * characters do not count. It is not a security measure: two texts that share one by chance only block a thread
 * early.
 */
export function fingerprintOf(text: string): string {
  const plain = displayLine(text).toLowerCase()
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let at = 0; at < plain.length; at++) {
    const unit = plain.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13)
  }
  return `${plain.length.toString(36)}-${hex(high)}${hex(low)}`
}

function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}
