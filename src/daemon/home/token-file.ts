import { randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { messageOf, TrailBossError } from '../../core/errors.ts'

const TOKEN = /^[0-9a-f]{64}$/
/** A token and its newline. */
const MOST_BYTES = 66

/** A token, and why its file had to be replaced, if so. */
export type TokenFile = { token: string; replaced: string | undefined }

/**
 * Reads the token, or creates one on the first start. A token that somebody else may have read or written, or
 * half a token, is worthless and gets replaced. Throws `UNSAFE_HOME` if that fails.
 */
export function ensureToken(path: string): TokenFile {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  const found = stat ? readToken(path, stat) : { fault: undefined }
  if ('token' in found) return { token: found.token, replaced: undefined }
  const token = randomBytes(32).toString('hex')
  try {
    writeWhole(path, `${token}\n`)
  } catch (error) {
    const what = found.fault ? `${found.fault} and cannot be replaced` : 'cannot be made'
    throw new TrailBossError('UNSAFE_HOME', `${path} ${what}: ${messageOf(error)}.`, {
      hint: 'Move away what is there, then: trailboss restart',
    })
  }
  return { token, replaced: found.fault }
}

function readToken(path: string, stat: Stats): { token: string } | { fault: string } {
  const exposure = exposureOf(stat)
  if (exposure !== undefined) return { fault: exposure }
  if (stat.size === 0) return { fault: 'is empty' }
  try {
    const token = stat.size > MOST_BYTES ? '' : readFileSync(path, 'utf8').trim()
    return TOKEN.test(token) ? { token } : { fault: 'holds no token' }
  } catch (error) {
    return { fault: `cannot be read (${messageOf(error)})` }
  }
}

/** Why a token file is accessible to more than its owner. */
function exposureOf(stat: Stats): string | undefined {
  if (!stat.isFile()) return 'is not a regular file'
  if (stat.uid !== process.getuid?.()) return 'belongs to another user'
  if ((stat.mode & 0o077) === 0) return undefined
  return `is open to other users (mode ${(stat.mode & 0o777).toString(8)})`
}

/** A start that is killed halfway leaves no partial file under this name. */
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.new`
  rmSync(temporary, { force: true })
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
