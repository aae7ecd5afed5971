import { DatabaseSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../../core/errors.ts'

/**
 * One daemon per home: an exclusive SQLite lock that the kernel frees, even on kill -9. The process opens the
 * file once, because closing any descriptor of the file drops POSIX locks.
 */
export class DaemonLock implements Disposable {
  readonly #db: DatabaseSync

  constructor(path: string) {
    this.#db = new DatabaseSync(path)
    try {
      this.#db.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    } catch (error) {
      this.#db.close()
      if (!isHeld(error)) {
        throw new TrailBossError('UNSAFE_HOME', `${path} cannot be locked: ${messageOf(error)}`, {
          hint: `It holds nothing of value: remove it with rm '${path}'`,
          cause: error,
        })
      }
      throw new TrailBossError('DAEMON_RUNNING', 'Another Trail Boss daemon holds this home.', {
        hint: 'See it with: trailboss status. Stop it with: trailboss down',
        cause: error,
      })
    }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

function isHeld(error: unknown): boolean {
  const SQLITE_BUSY = 5
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY
}
