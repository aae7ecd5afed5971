import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { launcherPath } from '../../config/installation.ts'
import { userHome } from '../../config/paths.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { daemonEnvironment } from './daemon-environment.ts'
import type { Starting } from './detached-daemon.ts'

const UNIT = 'trailboss.service'
const run = promisify(execFile)

/** Writes the user unit and starts it: systemd restarts it after a crash, and with lingering after a reboot. */
export async function startUnit(): Promise<Starting> {
  const giveUp = await rememberUnit()
  try {
    writeUnit(renderUnit(launcherPath(), process.env))
    await systemctl(['daemon-reload'])
    await systemctl(['enable', '--now', UNIT])
  } catch (error) {
    await giveUp()
    throw error
  }
  return { ...startingUnit(), giveUp }
}

/** Starts the unit as it was written. */
export async function restartUnit(): Promise<Starting> {
  await systemctl(['restart', UNIT])
  return startingUnit()
}

export function hasUnit(): boolean {
  return existsSync(unitFile())
}

/** Whether systemd runs this daemon. */
export async function isUnit(pid: number): Promise<boolean> {
  if (!hasUnit()) return false
  const shown = await systemctl(['show', '--property=MainPID', UNIT]).catch(() => '')
  return shown.trim() === `MainPID=${pid}`
}

export async function removeUnit(): Promise<void> {
  await systemctl(['disable', '--now', UNIT])
  rmSync(unitFile(), { force: true })
  await systemctl(['daemon-reload'])
}

function startingUnit(): Starting {
  return {
    where: `as the user unit ${UNIT}`,
    failure: () => undefined,
    advice: `See: journalctl --user -u ${UNIT}`,
    giveUp: async () => {},
    [Symbol.dispose]: () => {},
  }
}

/** Returns a function that restores everything as it is now. It never throws: the caller already has an error to report. */
async function rememberUnit(): Promise<() => Promise<void>> {
  const before = hasUnit() ? readFileSync(unitFile(), 'utf8') : undefined
  const wasEnabled =
    before !== undefined &&
    (await systemctl(['is-enabled', UNIT]).then(
      () => true,
      () => false,
    ))
  return async () => {
    const end = wasEnabled ? ['stop', UNIT] : ['disable', '--now', UNIT]
    await systemctl(end).catch(() => {})
    if (before === undefined) rmSync(unitFile(), { force: true })
    else writeUnit(before)
    await systemctl(['daemon-reload']).catch(() => {})
  }
}

function writeUnit(text: string): void {
  mkdirSync(dirname(unitFile()), { recursive: true })
  writeFileSync(unitFile(), text)
}

function renderUnit(launcher: string, env: NodeJS.ProcessEnv): string {
  const variables = Object.entries(daemonEnvironment(env))
  return [
    '[Unit]',
    'Description=Trail Boss: finds the coding agents that are waiting for you',
    '',
    '[Service]',
    ...variables.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    // This is the only place where systemd expands variables.
    `ExecStart=${quoted(launcher).replaceAll('$', '$$$$')} up --foreground`,
    'Restart=on-failure',
    'RestartSec=2',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

async function systemctl(args: string[]): Promise<string> {
  try {
    const { stdout } = await run('systemctl', ['--user', ...args], { timeout: 15_000 })
    return stdout
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

/** systemd expands `%`, and reads backslashes and quotes; a newline would end the line. */
function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${escaped.replace(/[\0-\x1f\x7f]/g, hexEscape)}"`
}

function hexEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
