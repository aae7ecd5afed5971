import {
  directoriesAround,
  outside,
  placeOfRole,
  placeWithin,
  programIn,
  realDirectory,
} from '../../config/role-place.ts'
import type { RoleConfig, WorkspaceConfig } from '../../config/workspaces.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { TriagePolicy } from '../../core/supervisor/policy.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { managedHarness } from '../../harness/registry.ts'
import { notSupervised } from './not-supervised.ts'

/** An agent as the configuration describes it: who it is, and how it is started. */
export type AgentPlan = RoleConfig & {
  agentId: string
  workspaceId: string
  role: string
  /** A real path within its workspace. */
  cwd: string
  policy: TriagePolicy
}

type DispatchedAgent = Pick<AgentPlan, 'workspaceId' | 'role' | 'harness' | 'cwd'>

export type Workspaces = {
  ids(): string[]
  /** Every agent that the configuration names. */
  agents(): string[]
  /** Throws `NOT_FOUND`, or `BAD_CONFIG` if its directory or harness is unusable. */
  plan(agentId: string): AgentPlan
  require(workspaceId: string): WorkspaceConfig
  orchestratorOf(workspaceId: string): string | undefined
  /** The agent that reviews if a dispatch names none. */
  reviewerOf(workspaceId: string): string | undefined
  /** The same for an agent that only a dispatch names. */
  planFor(told: DispatchedAgent): AgentPlan
  /** The workspace that contains this directory, and its real path; throws `FORBIDDEN_DIRECTORY`. */
  containing(cwd: string): { workspaceId: string; cwd: string }
  /** Why configured agents could not be started right now. */
  problems(): string[]
  /** Replaces the configuration from now on. Running agents stay as they were started. */
  replace(config: WorkspaceConfigs): void
}

/** The workspaces of a configuration, by name. */
export type WorkspaceConfigs = Readonly<Record<string, WorkspaceConfig>>

export function createWorkspaces(initial: WorkspaceConfigs): Workspaces {
  let config = initial
  const ids = () => Object.keys(config)
  const agents = () =>
    ids().flatMap((id) => Object.keys(config[id]?.roles ?? {}).map((role) => `${id}/${role}`))

  const require = (workspaceId: string): WorkspaceConfig => {
    if (Object.hasOwn(config, workspaceId)) return config[workspaceId] as WorkspaceConfig
    if (ids().length === 0) throw notSupervised()
    throw new TrailBossError('NOT_FOUND', `There is no workspace "${shown(workspaceId)}".`, {
      hint: `There are: ${ids().join(', ')}.`,
    })
  }

  const workspaces: Workspaces = {
    ids,
    agents,
    require,
    orchestratorOf: (id) => {
      const { orchestrator } = require(id)
      return orchestrator && `${id}/${orchestrator}`
    },
    reviewerOf: (id) => {
      const { reviewer } = require(id)
      return reviewer && `${id}/${reviewer}`
    },
    plan(agentId) {
      const [workspaceId = '', role = '', ...rest] = agentId.split('/')
      const workspace = Object.hasOwn(config, workspaceId) ? config[workspaceId] : undefined
      const found =
        workspace && rest.length === 0 && Object.hasOwn(workspace.roles, role)
          ? workspace.roles[role]
          : undefined
      if (ids().length === 0) throw notSupervised()
      if (!workspace || !found) {
        throw new TrailBossError('NOT_FOUND', `There is no agent "${shown(agentId)}".`, {
          hint: agents().length > 0 ? `There are: ${agents().join(', ')}.` : NONE,
        })
      }
      managedHarness(found.harness)
      const cwd = placeOfRole(workspaceId, workspace, found)
      const policy = found.policy ?? workspace.policy
      return { ...found, ...programIn(workspace, found), agentId, workspaceId, role, cwd, policy }
    },
    planFor({ workspaceId, role, harness, cwd }) {
      const workspace = require(workspaceId)
      managedHarness(harness)
      const real = placeWithin(workspaceId, workspace, cwd)
      return {
        ...programIn(workspace, { harness }),
        agentId: `${workspaceId}/${role}`,
        workspaceId,
        role,
        harness,
        cwd: real,
        policy: workspace.policy,
      }
    },
    containing(cwd) {
      if (ids().length === 0) throw notSupervised()
      const real = realDirectory(cwd)
      const within = Object.entries(config).flatMap(([workspaceId, workspace]) =>
        directoriesAround(workspace, real).map((directory) => ({ workspaceId, directory })),
      )
      const [deepest] = within.toSorted((a, b) => b.directory.length - a.directory.length)
      if (deepest) return { workspaceId: deepest.workspaceId, cwd: real }
      throw outside(real, 'any workspace', Object.values(config))
    },
    problems: () =>
      agents().flatMap((agentId) => {
        try {
          workspaces.plan(agentId)
          return []
        } catch (error) {
          const hint = error instanceof TrailBossError && error.hint ? ` ${error.hint}` : ''
          return [`${agentId} cannot be started. ${messageOf(error)}${hint}`]
        }
      }),
    replace(next) {
      config = next
    },
  }
  return workspaces
}

const NONE = 'The configuration names none: add it to the "roles" of its workspace.'

function shown(name: string): string {
  return truncate(displayLine(name), 80)
}
