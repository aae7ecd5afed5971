import { statSync } from 'node:fs'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { readUserFile, type UserFile } from './user-file.ts'

/** The file and its text, undefined if it does not exist. Throws `BAD_USAGE` if it is not text. */
export function readSettings(path: string): { file: UserFile; text: string | undefined } {
  const size = sizeOf(path)
  if (size > MAX_BYTES) {
    throw new TrailBossError('BAD_USAGE', `${path} has ${Math.round(size / 2 ** 20)} MiB.`, {
      hint: 'That is no settings file.',
    })
  }
  const file = readUserFile(path)
  return { file, text: file.bytes && decoded(file.bytes, path) }
}

const MAX_BYTES = 4 * 2 ** 20

/** 0 if we cannot look at it: reading it gives the reason. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

function decoded(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new TrailBossError('BAD_USAGE', `${path} is not UTF-8 text: ${messageOf(error)}`, {
      hint: 'Save it as UTF-8.',
    })
  }
}
