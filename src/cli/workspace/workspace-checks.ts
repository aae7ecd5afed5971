import { placeOfRole, programIn, realDirectory } from '../../config/role-place.ts'
import type { RoleConfig, WorkspaceConfig } from '../../config/workspaces.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { requireProgram } from '../../harness/adapter/program-file.ts'
import { managedHarness } from '../../harness/registry.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import type { Site } from '../../harness/wiring/wiring.ts'
import { hookChecks } from './hook-checks.ts'
import { trustChecks } from './trust-checks.ts'

/** What works in this workspace, and what does not. Changes nothing. */
export async function workspaceChecks(
  id: string,
  workspace: WorkspaceConfig,
  site: Site,
): Promise<Check[]> {
  const roles = Object.entries(workspace.roles)
  const placed = roles.map(([role, its]) => roleCheck(id, workspace, role, its, site))
  const none = warning(id, 'it has no role: only dispatches can run here', 'Add "roles" to it.')
  return [
    ...workspace.directories.flatMap((directory) => directoryChecks(id, directory)),
    ...(roles.length === 0 ? [none] : placed.map(({ check }) => check)),
    ...(await hookChecks(
      placed.flatMap(({ harness }) => harness ?? []),
      site,
    )),
    ...trustChecks(
      id,
      placed.flatMap(({ harness, cwd }) => (harness && cwd ? [{ harness, folder: cwd }] : [])),
      site,
    ),
  ]
}

type Placed = {
  check: Check
  /** Undefined if Trail Boss cannot run it. */
  harness?: string
  /** Undefined if it has no place to run. */
  cwd?: string
}

function roleCheck(
  id: string,
  workspace: WorkspaceConfig,
  role: string,
  its: RoleConfig,
  { env }: Site,
): Placed {
  const agent = `${id}/${role}`
  const placed: Omit<Placed, 'check'> = {}
  try {
    const adapter = managedHarness(its.harness)
    placed.harness = adapter.harness
    const cwd = placeOfRole(id, workspace, its)
    placed.cwd = cwd
    const { command, env: own } = programIn(workspace, its)
    const program = requireProgram(adapter, command, { path: own['PATH'] ?? env['PATH'], cwd })
    const duties = [
      ...(workspace.orchestrator === role ? ['the orchestrator'] : []),
      ...(workspace.reviewer === role ? ['the reviewer'] : []),
    ]
    const duty = duties.length > 0 ? `, ${duties.join(' and ')}` : ''
    return { ...placed, check: ok(agent, `${adapter.title} (${program}) in ${cwd}${duty}`) }
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    const what = `it cannot be started: ${messageOf(error)}`
    return { ...placed, check: broken(agent, what, hint ?? 'Correct the configuration.') }
  }
}

/** Only problems: if all is well, the roles say where they run. */
function directoryChecks(id: string, directory: string): Check[] {
  try {
    realDirectory(directory)
    return []
  } catch (error) {
    return [broken(id, messageOf(error), 'Make it, or take it out of "directories".')]
  }
}
