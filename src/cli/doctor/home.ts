import { randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Paths } from '../../config/paths.ts'
import { howToClose, openParentOf } from '../../config/safe-place.ts'
import { messageOf } from '../../core/errors.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import type { Surroundings } from './surroundings.ts'

/** Everything that only its owner may access. */
export async function homeChecks({ paths, status }: Surroundings): Promise<Check[]> {
  const home = statOf(paths.home)
  if (!home) {
    return [
      warning('home', `${paths.home} is not there yet`, 'The first start makes it: trailboss up'),
    ]
  }
  if (!home.isDirectory()) {
    return [
      broken('home', `${paths.home} is not a directory`, 'Move it away, or set TRAILBOSS_HOME.'),
    ]
  }
  return [
    placeCheck(paths.home) ?? privateCheck('home', paths.home, home, 0o700),
    ...socketChecks(paths, status !== undefined),
    ...tokenChecks(paths),
  ]
}

/** Whether events can wait there, how many wait because nobody answered, and how many nobody could read. */
export async function spoolChecks({ paths, status }: Surroundings): Promise<Check[]> {
  const refusal = spoolRefusal(paths.spool)
  if (refusal) return [refusal]
  const waiting = filesIn(paths.spool).filter((name) => name.endsWith('.json')).length
  const bad = filesIn(join(paths.spool, 'bad')).length
  const checks: Check[] = []
  if (waiting > 0) {
    const events = waiting === 1 ? '1 event waits' : `${waiting} events wait`
    const detail = `${events} in ${paths.spool}`
    checks.push(
      status
        ? broken('spool', `${detail} although the daemon runs`, `See why in its log: ${paths.log}`)
        : warning('spool', detail, 'The daemon takes them in when it starts: trailboss up'),
    )
  }
  if (bad > 0) {
    const dir = join(paths.spool, 'bad')
    checks.push(
      warning(
        'spool',
        `${bad === 1 ? '1 event was' : `${bad} events were`} not understood and kept in ${dir}`,
        `The log says what was wrong with them (${paths.log}); then remove them: rm -r '${dir}'`,
      ),
    )
  }
  return checks.length > 0 ? checks : [ok('spool', 'empty')]
}

/** Tries it like an emitter. The first event creates what does not exist yet. */
function spoolRefusal(spool: string): Check | undefined {
  const lost = "so a hook's event is lost when the daemon does not answer at once"
  if (!statOf(spool)) return undefined
  if (!statSync(spool, { throwIfNoEntry: false })?.isDirectory()) {
    const fix = 'Move it away: the next event or start makes the directory.'
    return broken('spool', `${spool} is not a directory, ${lost}`, fix)
  }
  const probe = join(spool, `.doctor-${randomUUID()}`)
  try {
    readdirSync(spool)
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 })
    rmSync(probe)
    return undefined
  } catch (error) {
    const isDenied = (error as NodeJS.ErrnoException).code === 'EACCES'
    return broken(
      'spool',
      `no event can be kept in ${spool}, ${lost}: ${messageOf(error)}`,
      isDenied
        ? `Give yourself access with: chmod 700 '${spool}'`
        : `See what is wrong with it: ls -ld '${spool}' and df '${spool}'`,
    )
  }
}

function socketChecks(paths: Paths, isUp: boolean): Check[] {
  const stat = statOf(paths.socket)
  if (!stat) {
    return isUp
      ? [broken('socket', `${paths.socket} is gone`, 'Create it again: trailboss restart')]
      : []
  }
  if (!stat.isSocket()) {
    const detail = `${paths.socket} is there and is not a socket`
    return [broken('socket', detail, 'Move it away; it is not ours.')]
  }
  return [privateCheck('socket', paths.socket, stat, 0o600)]
}

function tokenChecks({ token, ingestToken }: Paths): Check[] {
  const found = [token, ingestToken].flatMap((path) => {
    const stat = statOf(path)
    const check = stat && privateCheck('tokens', path, stat, 0o600)
    if (!check || check.status === 'ok') return check ?? []
    return { ...check, mend: replaceToken(path) }
  })
  if (found.length === 0) return [ok('tokens', 'none yet: a start with a TCP port makes them')]
  const wrong = found.filter(({ status }) => status !== 'ok')
  return wrong.length > 0 ? wrong : [ok('tokens', 'for you alone')]
}

function replaceToken(path: string): string {
  return `Others may have read it. Have a new one made: rm '${path}'; trailboss restart`
}

function placeCheck(home: string): Check | undefined {
  const open = openParentOf(home)
  if (open === undefined) return undefined
  const detail = `every user can write to ${open}, so anybody could replace ${home}`
  return broken('home', detail, howToClose(open))
}

function privateCheck(name: string, path: string, stat: Stats, mode: number): Check {
  if (stat.uid !== process.getuid?.()) {
    const fix = `Take it over, or set TRAILBOSS_HOME to a directory of your own: ls -ld '${path}'`
    return broken(name, `${path} belongs to another user`, fix)
  }
  if ((stat.mode & 0o077) !== 0) {
    const found = (stat.mode & 0o777).toString(8)
    const detail = `${path} is open to other users (mode ${found})`
    return broken(name, detail, `Close it with: chmod ${mode.toString(8)} '${path}'`)
  }
  return ok(name, `only you can open ${path}`)
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => !name.startsWith('.'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
