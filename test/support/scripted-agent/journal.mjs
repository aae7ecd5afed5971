import { appendFileSync } from 'node:fs'

/** The agent's own account of what it did and which keys it got: nothing else can vouch for that. */
export function openJournal(file) {
  return (did, fields = {}) => {
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), did, ...fields })}\n`)
  }
}
