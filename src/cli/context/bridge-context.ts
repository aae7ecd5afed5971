import { type BridgeClient, bridgeClient } from '../../client/bridge-client.ts'
import { TrailBossError } from '../../core/errors.ts'
import { createSupervised } from './supervisor-context.ts'

/** What the commands about threads and tokens need. */
export type Bridged = {
  bridge: BridgeClient
  by: string
  /** The one that was named, else the only one there is. */
  workspaceFor(name: string | undefined): string
}

/** See `createSupervised` for what is thrown without a workspace. */
export function createBridged(): Bridged {
  const { by, client, requireWorkspace, workspaces } = createSupervised()
  return {
    bridge: bridgeClient(client),
    by,
    workspaceFor(name) {
      const [only, ...others] = workspaces
      if (name !== undefined) return name
      requireWorkspace()
      if (only !== undefined && others.length === 0) return only
      throw new TrailBossError('BAD_USAGE', 'In which workspace?', {
        hint: `Say it with --workspace. There are: ${workspaces.join(', ')}.`,
      })
    },
  }
}
