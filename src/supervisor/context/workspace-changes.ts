import { isSame } from '../../config/config-drift.ts'
import { programIn } from '../../config/role-place.ts'
import type { WorkspaceConfig } from '../../config/workspaces.ts'
import type { WorkspaceConfigs } from './workspaces.ts'

type Changes = { added: string[]; removed: string[]; changed: string[] }

export type WorkspaceChanges = { workspaces: Changes; agents: Changes }

/**
 * The differences between two configurations. An agent has changed if it would be started in another way, a
 * workspace if something besides its agents differs.
 */
export function workspaceChanges(
  before: WorkspaceConfigs,
  after: WorkspaceConfigs,
): WorkspaceChanges {
  return {
    workspaces: changes(mapped(before, aloneIn), mapped(after, aloneIn)),
    agents: changes(agentsIn(before), agentsIn(after)),
  }
}

/** For people: `agents added: ranch/lead, ranch/hand`. Empty if nothing changed. */
export function changeWords({ workspaces, agents }: WorkspaceChanges): string[] {
  return Object.entries({ workspaces, agents }).flatMap(([what, changes]) =>
    Object.entries(changes).flatMap(([how, names]) =>
      names.length === 0 ? [] : [`${what} ${how}: ${names.join(', ')}`],
    ),
  )
}

function changes(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): Changes {
  const [old, now] = [[...before.keys()], [...after.keys()]]
  return {
    added: now.filter((name) => !before.has(name)),
    removed: old.filter((name) => !after.has(name)),
    changed: now.filter((name) => before.has(name) && !isSame(before.get(name), after.get(name))),
  }
}

function mapped(
  workspaces: WorkspaceConfigs,
  of: (workspace: WorkspaceConfig) => unknown,
): Map<string, unknown> {
  return new Map(Object.entries(workspaces).map(([id, workspace]) => [id, of(workspace)]))
}

function aloneIn({ roles: _, ...workspace }: WorkspaceConfig): unknown {
  return workspace
}

/** How each agent would be started. */
function agentsIn(workspaces: WorkspaceConfigs): Map<string, unknown> {
  return new Map(
    Object.entries(workspaces).flatMap(([id, workspace]) =>
      Object.entries(workspace.roles).map(([role, its]): [string, unknown] => [
        `${id}/${role}`,
        {
          ...its,
          ...programIn(workspace, its),
          cwd: its.cwd ?? workspace.directories[0],
          policy: its.policy ?? workspace.policy,
        },
      ]),
    ),
  )
}
