import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { launcherPath } from '../config/installation.ts'
import { userHome } from '../config/paths.ts'
import { messageOf, TrailBossError } from '../core/errors.ts'
import type { Starting } from './detached-daemon.ts'

const UNIT = 'trailboss.service'
const run = promisify(execFile)

/** Writes the user unit and starts it: it survives the end of tmux, and with lingering a reboot. */
export async function startUnit(): Promise<Starting> {
  const file = unitFile()
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, renderUnit(launcherPath(), process.env))
  await systemctl(['daemon-reload'])
  await systemctl(['enable', '--now', UNIT])
  return {
    where: `as the user unit ${UNIT}`,
    failure: () => undefined,
    [Symbol.dispose]: () => {},
  }
}

export function hasUnit(): boolean {
  return existsSync(unitFile())
}

export async function removeUnit(): Promise<void> {
  await systemctl(['disable', '--now', UNIT])
  rmSync(unitFile(), { force: true })
  await systemctl(['daemon-reload'])
}

function renderUnit(launcher: string, env: NodeJS.ProcessEnv): string {
  const kept = Object.entries(env).filter(([name]) => /^(TRAILBOSS_(?!ROOT).*|PATH)$/.test(name))
  return [
    '[Unit]',
    'Description=Trail Boss: finds the coding agents that wait for you',
    '',
    '[Service]',
    ...kept.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${quoted(launcher)} up --foreground`,
    'Restart=on-failure',
    'RestartSec=2',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

async function systemctl(args: string[]): Promise<void> {
  try {
    await run('systemctl', ['--user', ...args], { timeout: 15_000 })
  } catch (error) {
    const detail = (error as { stderr?: string }).stderr?.trim() || messageOf(error)
    throw new TrailBossError('DAEMON_FAILED', `systemctl --user ${args.join(' ')}: ${detail}`, {
      hint: 'Is there a systemd user session? Without one use: trailboss up',
      cause: error,
    })
  }
}

function unitFile(): string {
  const config = process.env['XDG_CONFIG_HOME'] || join(userHome(), '.config')
  return join(config, 'systemd', 'user', UNIT)
}

/** systemd expands `%` and `$`, and reads backslashes and quotes. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
}
