import { DaemonClient } from '../../../client/daemon-client.ts'
import { resolvePaths } from '../../../config/paths.ts'
import type { WorkspacesReloadView } from '../../../contract/workspaces.ts'
import { operatorName } from '../../context/operator-name.ts'
import { printView } from '../../context/output.ts'
import { reloadText } from '../../render/workspace-text.ts'

export async function reloadWorkspaces(options: { json?: boolean }): Promise<void> {
  using client = new DaemonClient(resolvePaths().socket)
  const body = { by: operatorName() }
  const view = await client.post<WorkspacesReloadView>('/workspaces/reload', body)
  await printView(view, options, reloadText)
}
