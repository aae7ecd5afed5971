import { displayLine } from '../core/text.ts'
import { setAsideRows } from '../store/set-aside-rows.ts'
import type { Store } from '../store/store.ts'

/** What is not as it should be with the database right now. */
export function storeWarnings(store: Store): string[] {
  const refusal = store.refusal()
  const { count, names } = setAsideRows(store.db)
  const rows = count === 1 ? '1 damaged row' : `${count} damaged rows`
  const more = count > names.length ? ', …' : ''
  return [
    ...(refusal === undefined
      ? []
      : [
          `Nothing can be stored (${refusal}): the queue stands still, and what hooks tell waits in the spool as far as there is room. See what is wrong: trailboss doctor`,
        ]),
    ...(count === 0
      ? []
      : [
          `The database had ${rows} (${displayLine(names.join(', '))}${more}). Trail Boss set ${count === 1 ? 'it' : 'them'} aside in the table set_aside_rows and goes on with everything else.`,
        ]),
  ]
}
