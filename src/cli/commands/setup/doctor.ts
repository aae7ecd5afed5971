import type { Command } from 'commander'
import { DaemonClient } from '../../../client/daemon-client.ts'
import { type Config, defaultConfig, loadConfig } from '../../../config/config.ts'
import { type Paths, resolvePaths } from '../../../config/paths.ts'
import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { broken, type Check, ok } from '../../../harness/wiring/check.ts'
import { paintFor, type Tone } from '../../../text/paint.ts'
import { tmuxSocketFor } from '../../../tmux/socket.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { checkText } from '../../doctor/check-text.ts'
import { clockChecks } from '../../doctor/clock.ts'
import { daemonChecks, projectionChecks } from '../../doctor/daemon.ts'
import { diskChecks } from '../../doctor/disk.ts'
import { emitterChecks } from '../../doctor/emitter.ts'
import { homeChecks, spoolChecks } from '../../doctor/home.ts'
import { keyChecks } from '../../doctor/keys.ts'
import { portChecks } from '../../doctor/port.ts'
import { statusLineChecks } from '../../doctor/status-line.ts'
import { statusChecks } from '../../doctor/statuses.ts'
import type { CheckGroup, Surroundings } from '../../doctor/surroundings.ts'
import { tmuxChecks } from '../../doctor/tmux.ts'
import { wiringGroups } from '../../doctor/wiring.ts'

const GROUPS: [name: string, group: CheckGroup][] = [
  ['tmux', tmuxChecks],
  ['home', homeChecks],
  ['disk', diskChecks],
  ['daemon', daemonChecks],
  ['port', portChecks],
  ['spool', spoolChecks],
  ['keys', keyChecks],
  ['status line', statusLineChecks],
  ['live queue', projectionChecks],
  ...wiringGroups(),
  ['status files', statusChecks],
  ['emitter', emitterChecks],
  ['clock', clockChecks],
]

/** Exit code 1 if a link is broken; warnings do not count. */
export function addTo(program: Command): void {
  addCommand(program, 'doctor', 'check the installation, and show how to fix it', doctor)
}

async function doctor(options: { json?: boolean }): Promise<number> {
  const paths = resolvePaths()
  const { config, check } = readConfig(paths)
  const checks: Check[] = []
  const { columns } = process.stdout
  const paint = paintFor()
  const reader = { ...(columns && { width: columns }), paint }
  const report = (found: Check[]) => {
    checks.push(...found)
    if (!options.json) for (const one of found) print(checkText(one, reader))
  }
  report([check])
  const surroundings: Surroundings = {
    env: process.env,
    paths,
    config,
    socket: tmuxSocketFor(config.tmuxSocket ?? process.env['TRAILBOSS_TMUX_SOCKET'], process.env),
    ...(await statusOf(paths)),
  }
  for (const [name, group] of GROUPS) report(await attempt(name, () => group(surroundings)))
  if (options.json) printJson({ checks })
  else print(`\n${paint(toneOf(checks), summary(checks))}`)
  return checks.some(({ status }) => status === 'broken') ? 1 : 0
}

/** An invalid config is one broken link; the other checks use the defaults. */
function readConfig(paths: Paths): { config: Config; check: Check } {
  try {
    return { config: loadConfig(paths.configFile), check: ok('config', 'ok') }
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    const check = broken('config', messageOf(error), hint ?? `Correct it: ${paths.configFile}`)
    return { config: defaultConfig(), check }
  }
}

async function statusOf(paths: Paths): Promise<Pick<Surroundings, 'status' | 'silence'>> {
  using client = new DaemonClient(paths.socket)
  try {
    return { status: await client.status(), silence: undefined }
  } catch (error) {
    return { status: undefined, silence: error instanceof TrailBossError ? error : undefined }
  }
}

async function attempt(name: string, look: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'CANCELLED') throw error
    return [broken(name, `it could not be checked: ${messageOf(error)}`, 'Please report this.')]
  }
}

function toneOf(checks: Check[]): Tone {
  const has = (wanted: Check['status']) => checks.some(({ status }) => status === wanted)
  return has('broken') ? 'bad' : has('warning') ? 'waiting' : 'good'
}

function summary(checks: Check[]): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length
  const warnings = count('warning')
  const also = warnings > 0 ? `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : ''
  const broken = count('broken')
  if (broken > 0) return `${broken} ${broken === 1 ? 'link is' : 'links are'} broken${also}.`
  return `Nothing is broken${also}.`
}
