import { appendFileSync } from 'node:fs'

/** The agent's own record of what it did and which keys it got, because nothing else can prove that. */
export function openJournal(file) {
  return (did, fields = {}) => {
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), did, ...fields })}\n`)
  }
}
