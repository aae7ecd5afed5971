import { chmodSync, closeSync, constants, lstatSync, openSync, type Stats } from 'node:fs'
import type { Paths } from '../../config/paths.ts'
import { howToClose, openParentOf } from '../../config/safe-place.ts'
import { messageOf } from '../../core/errors.ts'

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants
const HOOKS_STOP = 'hooks are ignored until you do'

type PrivacyParts = {
  /** Called once for each new warning. */
  warned(warning: string): void
  close?(home: string): void
}

/**
 * Keeps the home closed to other users while the daemon runs, and marks it as private. Emitters check its mode
 * whenever something in it has changed since their mark, and send nothing to an open home. Most changes there
 * are our own, and checking costs us nothing.
 */
export class HomePrivacy {
  readonly #paths: Paths
  readonly #warned: (warning: string) => void
  readonly #close: (home: string) => void
  /** That it was open earlier, and what is wrong with it now. */
  #past: string | undefined
  #present: string | undefined

  constructor(paths: Paths, { warned, close = (home) => chmodSync(home, 0o700) }: PrivacyParts) {
    this.#paths = paths
    this.#warned = warned
    this.#close = close
  }

  look(): void {
    const stat = lstatSync(this.#paths.home, { throwIfNoEntry: false })
    // The home watch handles a home that is gone or was replaced.
    if (!stat?.isDirectory()) return
    const fault = this.#closeIfOpen(stat)
    if (fault === undefined && this.#isVouchedFor(stat)) return
    this.#found(fault ?? placeFault(this.#paths.home))
    if (this.#present === undefined) this.#vouch()
  }

  warnings(): string[] {
    this.look()
    return [this.#past, this.#present].filter((warning) => warning !== undefined)
  }

  #closeIfOpen({ uid, mode }: Stats): string | undefined {
    const { home } = this.#paths
    if (uid !== process.getuid?.()) {
      return `${home} belongs to another user now: hooks are ignored until it is yours again.`
    }
    if ((mode & 0o077) === 0) return undefined
    const found = (mode & 0o777).toString(8)
    try {
      this.#close(home)
    } catch (error) {
      return `Other users can enter ${home} (mode ${found}), and Trail Boss cannot close it (${messageOf(error)}): ${HOOKS_STOP}. Close it with: chmod 700 '${home}'`
    }
    this.#past = `${home} was open to other users (mode ${found}) at ${new Date().toISOString().slice(0, 19)}Z; Trail Boss closed it (mode 700).`
    this.#warned(this.#past)
    return undefined
  }

  #found(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#present) this.#warned(fault)
    this.#present = fault
  }

  #isVouchedFor(home: Stats): boolean {
    if (this.#present !== undefined) return false
    const mark = lstatSync(this.#paths.checkedMark, { throwIfNoEntry: false })
    return mark !== undefined && mark.mtimeMs > home.mtimeMs
  }

  #vouch(): void {
    const flags = O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK
    closeSync(openSync(this.#paths.checkedMark, flags, 0o600))
  }
}

function placeFault(home: string): string | undefined {
  const open = openParentOf(home)
  if (open === undefined) return undefined
  return `Every user can write to ${open}, so anybody could replace ${home}: ${HOOKS_STOP}. ${howToClose(open)}`
}
