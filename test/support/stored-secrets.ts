import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { secretsIn } from './secret-samples.ts'

/** Which secrets are in which files of this home: database, journal, log, spool, copies, whatever there is. */
export function storedSecrets(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) =>
      secretsIn(readFileSync(file, 'latin1')).map((kind) => `${relative(home, file)}: ${kind}`),
    )
}
