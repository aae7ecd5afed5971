import { DaemonClient } from '../../../client/daemon-client.ts'
import { type Config, loadConfig } from '../../../config/config.ts'
import { type Paths, resolvePaths } from '../../../config/paths.ts'
import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { broken, type Check, ok } from '../../../harness/wiring/check.ts'
import { paintFor } from '../../../text/paint.ts'
import { tmuxSocketFor } from '../../../tmux/socket.ts'
import { print, printJson } from '../../context/output.ts'
import { checkText } from '../../doctor/check-text.ts'
import { tmuxChecks } from '../../doctor/tmux.ts'
import { createSite } from '../../install/site.ts'
import { checkSummary } from '../../workspace/check-summary.ts'
import { daemonChecks } from '../../workspace/daemon-checks.ts'
import { workspaceChecks } from '../../workspace/workspace-checks.ts'
import { noWorkspaces } from '../supervisor/supervisor-context.ts'

type Found = Check & { workspace: string | null }

/** Exit code 1 if something will not work; warnings do not count. */
export async function checkWorkspaces(
  name: string | undefined,
  options: { json?: boolean },
): Promise<number> {
  const paths = resolvePaths()
  const found: Found[] = []
  const { columns } = process.stdout
  const paint = paintFor()
  const report = (workspace: string | null, checks: readonly Check[]) => {
    found.push(...checks.map((check) => ({ workspace, ...check })))
    if (options.json) return
    for (const check of checks)
      print(checkText(check, { ...(columns && { width: columns }), paint }))
  }
  const { config, check } = readConfig(paths)
  if (config) requireWorkspace(config, name, paths)
  report(null, [check])
  report(null, await daemonChecksOf(paths))
  const socket = config?.tmuxSocket ?? process.env['TRAILBOSS_TMUX_SOCKET']
  report(null, await tmuxChecks({ socket: tmuxSocketFor(socket, process.env) }))
  const { site } = createSite({ env: process.env, note: () => undefined })
  for (const [id, workspace] of Object.entries(config?.workspaces ?? {})) {
    if (name === undefined || name === id) report(id, await workspaceChecks(id, workspace, site))
  }
  const { text, tone, isBroken } = checkSummary(found)
  if (options.json) printJson({ checks: found })
  else print(`\n${paint(tone, text)}`)
  return isBroken ? 1 : 0
}

function readConfig({ configFile }: Paths): { config: Config | undefined; check: Check } {
  try {
    return { config: loadConfig(configFile), check: ok('config', configFile) }
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    const check = broken('config', messageOf(error), hint ?? 'Correct it by hand.')
    return { config: undefined, check }
  }
}

async function daemonChecksOf(paths: Paths): Promise<Check[]> {
  using client = new DaemonClient(paths.socket)
  try {
    return daemonChecks(await client.status())
  } catch (error) {
    if (!(error instanceof TrailBossError)) throw error
    return [broken('daemon', error.message, error.hint ?? 'Start it with: trailboss up')]
  }
}

function requireWorkspace({ workspaces }: Config, name: string | undefined, paths: Paths): void {
  const names = Object.keys(workspaces)
  if (names.length === 0) throw noWorkspaces(paths.configFile)
  if (name === undefined || names.includes(name)) return
  throw new TrailBossError('NOT_FOUND', `There is no workspace "${displayLine(name)}".`, {
    hint: `There are: ${names.join(', ')}.`,
  })
}
