import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('./notification-server.py', import.meta.url))
const PYTHON = '/usr/bin/python3'

export type Desktop = AsyncDisposable & {
  /** `DBUS_SESSION_BUS_ADDRESS`. */
  address: string
  notifications(): { app: string; summary: string; body: string; urgency: number }[]
}

/** D-Bus, notify-send, and what the server needs. */
export function hasDesktop(): boolean {
  try {
    execFileSync(
      'sh',
      ['-c', `command -v dbus-daemon && command -v notify-send && ${PYTHON} -c "import dbus, gi"`],
      {
        stdio: 'ignore',
      },
    )
    return true
  } catch {
    return false
  }
}

/** A private D-Bus with a notification server on it. */
export async function startDesktop(dir: string): Promise<Desktop> {
  const address = `unix:path=${join(dir, 'bus')}`
  const file = join(dir, 'notifications')
  const bus = spawn('dbus-daemon', [
    ...['--session', '--nofork', '--nopidfile', '--print-address', `--address=${address}`],
  ])
  await firstLine(bus)
  const env = { PATH: process.env['PATH'], DBUS_SESSION_BUS_ADDRESS: address }
  const server = spawn(PYTHON, [SERVER, file], { env })
  await firstLine(server)
  return {
    address,
    notifications: () => linesIn(file).map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: async () => {
      for (const child of [server, bus]) {
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      }
    },
  }
}

export function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

async function firstLine(child: ChildProcess): Promise<void> {
  if (!child.stdout) throw new Error('it has no output')
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`it exited with ${code}`)
    }),
  ])
}
