import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { beforeEnding } from './before-ending.ts'

/**
 * The text as the operator's editor leaves it. It is in a directory that only the operator can read, and only for as
 * long as the editor runs. Throws `CANCELLED` if the editor fails; `otherwise` says what that means.
 */
export async function editedText(
  fileName: string,
  text: string,
  otherwise: string,
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'trailboss-edit-'))
  const file = join(directory, fileName)
  // The window may be closed while the editor runs.
  using _ = beforeEnding(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(file, text, { mode: 0o600 })
  const why = await failureOfEditor(file)
  if (why === undefined && existsSync(file)) return readFileSync(file, 'utf8')
  throw new TrailBossError(
    'CANCELLED',
    `The editor failed: ${why ?? 'its file is gone'}. ${otherwise}`,
  )
}

function failureOfEditor(file: string): Promise<string | undefined> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.on('error', (error) => resolve(messageOf(error)))
    child.on('exit', (status, signal) =>
      resolve(status === 0 ? undefined : `it ended with ${signal ?? status}`),
    )
  })
}
