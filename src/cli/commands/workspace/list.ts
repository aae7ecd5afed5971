import { resolvePaths } from '../../../config/paths.ts'
import { requireConfig } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { workspaceTable } from '../../render/workspace-text.ts'

/** Lists the configured workspaces, whether the daemon knows them or not. */
export async function listWorkspaces(options: { json?: boolean }): Promise<void> {
  const workspaces = Object.entries(requireConfig().workspaces).map(([name, workspace]) => {
    const { directories, orchestrator = null, reviewer = null, roles } = workspace
    const harnesses = Object.entries(roles).map(([role, { harness }]) => [role, harness])
    return { name, directories, roles: Object.fromEntries(harnesses), orchestrator, reviewer }
  })
  if (options.json) return printJson({ workspaces })
  if (workspaces.length > 0) return await printFor((reader) => workspaceTable(workspaces, reader))
  note(`No workspace is configured in ${resolvePaths().configFile}
Make one, in the directory where agents are to run: trailboss workspace init`)
}
