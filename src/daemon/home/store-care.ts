import { existsSync } from 'node:fs'
import type { Warning } from '../../contract/responses.ts'
import { messageOf } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { letOthersIn } from '../../service/loop.ts'
import { type SetAsideRows, setAsideRows } from '../../store/rows/set-aside-rows.ts'
import type { Store } from '../../store/store.ts'
import type { Herd } from '../herd/herd.ts'
import { HomeWatch } from './home-watch.ts'
import type { DaemonSettings, Warn } from './settings.ts'

type CareParts = {
  store: Store
  herd: Herd
  settings: Pick<DaemonSettings, 'paths' | 'log' | 'lost'>
  warn: Warn
}

/** Makes sure that what was acknowledged is stored, and warns about what is lost or damaged. */
export function createStoreCare({ store, herd, settings, warn }: CareParts) {
  const { paths, log } = settings

  const home = new HomeWatch(paths)

  /** Everything acknowledged must be in the files that exist now. */
  const requireStored = (): void => {
    if (store.isInPlace()) return
    const isLeft = existsSync(paths.lock) || existsSync(paths.database)
    // Whatever is there now belongs to another daemon.
    if (home.look() === 'gone' && isLeft) settings.lost()
    warn(store.restoreFiles(), 'database')
  }

  return {
    requireStored,

    /** What the start found. */
    report(): void {
      store.probe()
      for (const loss of store.losses) warn(loss, 'database')
      if (store.setAside === undefined) return
      warn(
        `The database was damaged. It was set aside as ${store.setAside}, and what could be read of it was taken over.`,
        'database',
      )
    },

    /** Returns once everything from the work is stored; throws if it is not. */
    storeAtOnce(work: () => void): void {
      herd.atOnce(work)
      requireStored()
    },

    /** Checks the rows that no start reads. */
    async examine(): Promise<void> {
      for (const _ of store.examine()) await letOthersIn()
      for (const { text } of rowWarnings(store)) log.warn({ warning: text }, 'warned')
    },

    /** What is wrong right now, whatever the store does. */
    warnings(): Warning[] {
      try {
        requireStored()
      } catch {
        // The store keeps the error as its refusal.
      }
      return [...refusalWarnings(store), ...rowWarnings(store)]
    },

    /** The last chance to get everything into the files that exist now. */
    close(): void {
      try {
        requireStored()
      } catch (error) {
        log.error({ reason: messageOf(error) }, 'not stored')
      }
    },
  }
}

function refusalWarnings(store: Store): Warning[] {
  const refusal = store.refusal()
  if (refusal === undefined) return []
  const text = `Nothing can be stored (${refusal}): the queue stands still, and events from hooks wait in the spool as far as there is room. See what is wrong: trailboss doctor`
  return [{ kind: 'daemon', text }]
}

function rowWarnings({ db }: Store): Warning[] {
  try {
    return warningsOf(setAsideRows(db))
  } catch (error) {
    const text = `The database cannot be read (${messageOf(error)}). See what is wrong: trailboss doctor`
    return [{ kind: 'database', text }]
  }
}

function warningsOf({ count, names }: SetAsideRows): Warning[] {
  if (count === 0) return []
  const [rows, them] = count === 1 ? ['1 damaged row', 'it'] : [`${count} damaged rows`, 'them']
  const named = displayLine(names.join(', ')) + (count > names.length ? ', …' : '')
  const text = `The database had ${rows} (${named}). Trail Boss moved ${them} to the table set_aside_rows; everything else works.`
  return [{ kind: 'damaged-rows', text }]
}
