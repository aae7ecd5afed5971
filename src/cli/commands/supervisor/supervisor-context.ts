import { type BridgeClient, bridgeClient } from '../../../client/bridge-client.ts'
import type { DaemonClient } from '../../../client/daemon-client.ts'
import { type DispatchClient, dispatchClient } from '../../../client/dispatch-client.ts'
import { type SupervisorClient, supervisorClient } from '../../../client/supervisor-client.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { createContext, requireConfig } from '../../context/context.ts'
import { operatorName } from '../../context/operator-name.ts'

/** What the commands about runtimes, triggers and dispatches need. */
export type Supervised = {
  /** The daemon; explains what to do if it knows no workspace. */
  client: Pick<DaemonClient, 'get' | 'post'>
  supervisor: SupervisorClient
  dispatches: DispatchClient
  /** All workspaces and agents of the configuration. */
  workspaces: string[]
  agents: string[]
  /** The operator, for the audit. */
  by: string
  /** Throws if the configuration is invalid or has no workspace: nothing can be started then. */
  requireWorkspace(): void
}

/** Requests throw `NOT_SUPERVISED`, with advice, if the daemon knows no workspace. */
export function createSupervised(): Supervised {
  const { client: plain, config, paths } = createContext()
  const workspaces = Object.keys(config?.workspaces ?? {})
  const hasWorkspaces = workspaces.length > 0
  const unsupervised = () =>
    hasWorkspaces ? notYetKnown(paths.configFile) : noWorkspaces(paths.configFile)
  const explained = (error: unknown): never => {
    const isUnsupervised = error instanceof TrailBossError && error.code === 'NOT_SUPERVISED'
    throw isUnsupervised && config ? unsupervised() : error
  }
  const client: Supervised['client'] = {
    get: (path, query) => plain.get<never>(path, query).catch(explained),
    post: (path, body, options) => plain.post<never>(path, body, options).catch(explained),
  }
  const agents = Object.entries(config?.workspaces ?? {}).flatMap(([workspace, { roles }]) =>
    Object.keys(roles).map((role) => `${workspace}/${role}`),
  )
  return {
    client,
    supervisor: supervisorClient(client),
    dispatches: dispatchClient(client),
    workspaces,
    agents,
    by: operatorName(),
    requireWorkspace: () => {
      if (!config) requireConfig()
      if (!hasWorkspaces) throw unsupervised()
    },
  }
}

/** What the commands about threads and tokens need. */
export type Bridged = {
  bridge: BridgeClient
  by: string
  /** The named one, else the only one there is. */
  workspaceFor(name: string | undefined): string
}

/** See `createSupervised` for the errors without a workspace. */
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
        hint: `Name one with --workspace: ${workspaces.join(', ')}.`,
      })
    },
  }
}

function notYetKnown(configFile: string): TrailBossError {
  return new TrailBossError(
    'NOT_SUPERVISED',
    `The daemon does not know the workspaces in ${configFile} yet.`,
    { hint: 'Have it read them: trailboss workspace reload' },
  )
}

export function noWorkspaces(configFile: string): TrailBossError {
  return new TrailBossError(
    'NOT_SUPERVISED',
    'No workspace is configured, so there is nothing to run.',
    {
      hint: `Make one, in the directory where agents are to run: trailboss workspace init
  It is added to ${configFile}`,
    },
  )
}
