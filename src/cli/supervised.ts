import { type DispatchClient, dispatchClient } from '../client/dispatch-client.ts'
import { type SupervisorClient, supervisorClient } from '../client/supervisor-client.ts'
import { TrailBossError } from '../core/errors.ts'
import { createContext } from './context.ts'
import { operatorName } from './operator-name.ts'

/** What the commands about runtimes, triggers and dispatches need. */
export type Supervised = {
  supervisor: SupervisorClient
  dispatches: DispatchClient
  /** Every agent that the configuration names. */
  agents: string[]
  /** Who sits here. */
  by: string
}

/** Throws where no workspace is configured. */
export function createSupervised(): Supervised {
  const { client, config, paths } = createContext()
  if (Object.keys(config.workspaces).length === 0) throw noWorkspaces(paths.configFile)
  const agents = Object.entries(config.workspaces).flatMap(([workspace, { roles }]) =>
    Object.keys(roles).map((role) => `${workspace}/${role}`),
  )
  return {
    supervisor: supervisorClient(client),
    dispatches: dispatchClient(client),
    agents,
    by: operatorName(),
  }
}

function noWorkspaces(configFile: string): TrailBossError {
  return new TrailBossError(
    'NOT_FOUND',
    'No workspace is configured, so there is nothing to run.',
    {
      hint: `Add one to ${configFile}, then restart with: trailboss down && trailboss up
  {"workspaces": {"ranch": {"directories": ["/home/you/ranch"],
                            "roles": {"reviewer": {"harness": "codex"}}}}}
  docs/supervisor.md says what else it can have.`,
    },
  )
}
