import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../core/errors.ts'
import type { StatusReading, StatusSource } from '../../harness/adapter/adapter.ts'
import { readSmallFile } from '../../harness/adapter/small-file.ts'
import { ADAPTERS } from '../../harness/registry.ts'
import { type Check, ok, warning } from '../../harness/wiring/check.ts'
import { isAlive, startOf } from '../../process/process-state.ts'
import type { Surroundings } from './surroundings.ts'

const NAME = 'status files'
/** A file that is being written is complete after this time. */
const HALF_WRITTEN_MS = 300
const MOST_SHOWN = 3
const INSTEAD =
  'Until then Trail Boss relies on hooks and transcript, which miss approvals and some interrupts.'

/** A harness that publishes the state of its sessions. */
type Publisher = { title: string; status: StatusSource }

/** What harnesses publish about their sessions, read the way the daemon reads it. */
export async function statusChecks({ env, paths }: Surroundings): Promise<Check[]> {
  const checks: Check[] = []
  for (const { title, status } of ADAPTERS) {
    const places = [env, { HOME: env['HOME'] }].flatMap((from) => status?.directory(from) ?? [])
    for (const directory of new Set(places)) {
      if (status) checks.push(...(await directoryChecks(directory, { title, status }, paths.log)))
    }
  }
  return checks
}

async function directoryChecks(
  directory: string,
  publisher: Publisher,
  log: string,
): Promise<Check[]> {
  const { status } = publisher
  let names: string[]
  try {
    names = readdirSync(directory).filter(status.isStatusFile)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return [ok(NAME, `none in ${directory}: ${status.whyNone}`)]
    const fix = 'Make it a directory that you can read. Until then approvals are seen late.'
    return [warning(NAME, `${directory} cannot be read: ${messageOf(error)}`, fix)]
  }
  const files = names.map((name) => join(directory, name))
  let found = files.map((file) => look(file, status))
  if (found.some(({ state }) => state === 'not understood')) {
    await delay(HALF_WRITTEN_MS)
    found = found.map((one) => (one.state === 'not understood' ? look(one.file, status) : one))
  }
  return [summary(directory, found, status), ...misunderstood(found, publisher, log)]
}

type Found = { file: string; why?: string; version?: string } & {
  state: 'live' | 'left behind' | 'not understood' | 'gone'
}

function look(file: string, source: StatusSource): Found {
  const content = readSmallFile(file, '')
  if (content.kind === 'gone' || content.kind === 'same') return { file, state: 'gone' }
  const isOwnerGone = !isAlive(source.pidOf(basename(file)))
  if (content.kind === 'unfit') {
    return isOwnerGone
      ? { file, state: 'left behind' }
      : { file, state: 'not understood', why: content.why }
  }
  const reading = source.read(content.text, file)
  if (reading.ok) return { file, state: isRunning(reading) ? 'live' : 'left behind' }
  if (isOwnerGone) return { file, state: 'left behind' }
  const { why, version } = reading
  return { file, state: 'not understood', why, ...(version && { version }) }
}

/** The pid alone might belong to another process by now. */
function isRunning({ pid, pidStart }: Extract<StatusReading, { ok: true }>): boolean {
  if (!isAlive(pid)) return false
  const start = startOf(pid)
  return start === undefined || pidStart === undefined || start === pidStart
}

function summary(directory: string, found: Found[], { whyNone }: StatusSource): Check {
  const count = (state: Found['state']) => found.filter((one) => one.state === state).length
  const dead = count('left behind')
  const left = dead > 0 ? `${dead} left behind by killed processes, which is harmless` : ''
  const live = count('live')
  if (live === 0 && count('not understood') === 0) {
    return ok(NAME, `none in ${directory}: ${whyNone}${left && ` (${left})`}`)
  }
  const sessions = `${live} live ${live === 1 ? 'session' : 'sessions'} in ${directory}`
  return ok(NAME, left ? `${sessions}; ${left}` : sessions)
}

function misunderstood(found: Found[], { title }: Publisher, log: string): Check[] {
  const odd = found.filter(({ state }) => state === 'not understood')
  const checks = odd.slice(0, MOST_SHOWN).map(({ file, why, version }) => {
    const by = version ? ` (${title} ${version})` : ''
    return warning(NAME, `${file} is not understood${by}: ${why}`, fixFor(title, why, version))
  })
  const more = odd.length - checks.length
  if (more <= 0) return checks
  const fix = `The daemon's log names them: ${log}`
  return [...checks, warning(NAME, `${more} more are not understood`, fix)]
}

function fixFor(title: string, why: string | undefined, version: string | undefined): string {
  if (version) return `Update Trail Boss, or report what the file holds. ${INSTEAD}`
  if (why === 'it is not ours') return `See who put it there: ls -l. ${INSTEAD}`
  return `Restart that ${title}, which writes it again. ${INSTEAD}`
}
