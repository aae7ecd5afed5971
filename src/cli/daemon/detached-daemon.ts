import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { launcherPath } from '../../config/installation.ts'
import type { Paths } from '../../config/paths.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { daemonEnvironment } from './daemon-environment.ts'

/** A daemon that is starting. */
export type Starting = Disposable & {
  /** Where it runs, to end a sentence with. */
  where: string
  /** Why it did not start, if it has already exited. */
  failure(): string | undefined
  /** Where to look if it printed nothing. */
  advice: string
  /** Undoes what the start left behind. */
  giveUp(): Promise<void>
}

/**
 * Its own process, with no terminal that could hang up and no tmux server that could be killed. `socket` is the
 * tmux server that it serves.
 */
export function startDetached({ paths, socket }: { paths: Paths; socket: string }): Starting {
  requireWritable(paths.home)
  const report = join(paths.home, `start-${randomUUID()}.txt`)
  const { fd, size } = openLog(paths.log)
  let ended: string | undefined
  const daemon = spawn(launcherPath(), ['up', '--foreground'], {
    cwd: '/',
    detached: true,
    env: {
      ...daemonEnvironment(process.env),
      TRAILBOSS_TMUX_SOCKET: socket,
      TRAILBOSS_REPORT_FILE: report,
    },
    stdio: ['ignore', 'ignore', fd],
  })
  daemon.on('error', (error) => {
    ended = messageOf(error)
  })
  daemon.on('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `exit code ${code}`}`
  })
  daemon.unref()
  closeSync(fd)
  return {
    where: 'in the background',
    advice: `Its log: ${paths.log}`,
    // It must not come up after `up` has reported that it did not.
    giveUp: async () => void daemon.kill(),
    failure: () => ended && (reportIn(report) || plainTextIn(paths.log, size) || ended),
    [Symbol.dispose]: () => rmSync(report, { force: true }),
  }
}

/** Also receives what a program prints when it can no longer write its own log. */
function openLog(file: string): { fd: number; size: number } {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  try {
    const fd = openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY, 0o600)
    const stat = fstatSync(fd)
    if (stat.isFile()) return { fd, size: stat.size }
    closeSync(fd)
  } catch (error) {
    if (!['ELOOP', 'ENXIO', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new TrailBossError('UNSAFE_HOME', `${file} cannot be written: ${messageOf(error)}`)
    }
  }
  throw new TrailBossError('UNSAFE_HOME', `${file} is there and is not a regular file.`, {
    hint: 'Move it away; it is not ours.',
  })
}

function reportIn(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}

/** What was added to the log since it had this size, except the log's own lines. */
function plainTextIn(log: string, size: number): string {
  const fd = openSync(log, 'r')
  try {
    const bytes = Buffer.alloc(4_096)
    const added = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size)).toString('utf8')
    const lines = added.split('\n').filter((line) => !line.startsWith('{'))
    return lines.join('\n').trim()
  } finally {
    closeSync(fd)
  }
}

function requireWritable(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const probe = join(home, `start-${randomUUID()}.txt`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new TrailBossError('UNSAFE_HOME', `${home} cannot be written: ${messageOf(error)}`, {
      hint: 'Make room or give yourself access, or set TRAILBOSS_HOME.',
    })
  }
}
