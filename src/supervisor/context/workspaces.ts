import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import type { RoleConfig, WorkspaceConfig } from '../../config/workspaces.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { TriagePolicy } from '../../core/supervisor/policy.ts'
import { displayLine, truncate } from '../../core/text.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import type { ManagedHarness } from '../../harness/adapter/managed.ts'
import { adapterFor, managedHarnesses } from '../../harness/registry.ts'
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
  /** Throws `NOT_FOUND`, or `BAD_CONFIG` where its directory or harness will not do. */
  plan(agentId: string): AgentPlan
  require(workspaceId: string): WorkspaceConfig
  orchestratorOf(workspaceId: string): string | undefined
  /** The same for an agent that only a dispatch names. */
  planFor(told: DispatchedAgent): AgentPlan
  /** The workspace that this directory is in, and its real path; throws `FORBIDDEN_DIRECTORY`. */
  containing(cwd: string): { workspaceId: string; cwd: string }
  /** Why agents that the configuration names could not be started, as it is now. */
  problems(): string[]
}

export function createWorkspaces(config: Readonly<Record<string, WorkspaceConfig>>): Workspaces {
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
      const cwd = realDirectory(found.cwd ?? workspace.directories[0] ?? '/')
      requireWithin(workspaceId, workspace, cwd)
      const policy = found.policy ?? workspace.policy
      return { ...found, ...programIn(workspace, found), agentId, workspaceId, role, cwd, policy }
    },
    planFor({ workspaceId, role, harness, cwd }) {
      const workspace = require(workspaceId)
      managedHarness(harness)
      const real = realDirectory(cwd)
      requireWithin(workspaceId, workspace, real)
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
      const within = ids().flatMap((workspaceId) =>
        (config[workspaceId]?.directories ?? [])
          .filter((directory) => isWithin(realOrSame(directory), real))
          .map((directory) => ({ workspaceId, directory })),
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
  }
  return workspaces
}

/** A harness that can be run in a pane of ours. Throws `BAD_CONFIG`. */
export function managedHarness(harness: string): Adapter & { managed: ManagedHarness } {
  const adapter = adapterFor(harness)
  if (adapter?.managed) return { ...adapter, managed: adapter.managed }
  throw new TrailBossError('BAD_CONFIG', `Trail Boss cannot run "${shown(harness)}".`, {
    hint: `It can run: ${managedHarnesses().join(', ')}.`,
  })
}

/** What the role says comes before what its workspace says of that harness. */
function programIn(
  { harnesses }: WorkspaceConfig,
  { harness, command, env, channel }: Pick<RoleConfig, 'harness'> & Partial<RoleConfig>,
): Pick<RoleConfig, 'command' | 'env' | 'channel'> {
  const usual = Object.hasOwn(harnesses, harness) ? harnesses[harness] : undefined
  const program = command ?? usual?.command
  return {
    env: { ...usual?.env, ...env },
    channel: channel ?? usual?.channel ?? true,
    ...(program && { command: program }),
  }
}

const NONE = 'The configuration names none: add it to the "roles" of its workspace.'

function requireWithin(workspaceId: string, workspace: WorkspaceConfig, cwd: string): void {
  if (workspace.directories.some((directory) => isWithin(realOrSame(directory), cwd))) return
  throw outside(cwd, `workspace ${workspaceId}`, [workspace])
}

function outside(cwd: string, what: string, workspaces: WorkspaceConfig[]): TrailBossError {
  const allowed = workspaces.flatMap(({ directories }) => directories)
  return new TrailBossError('FORBIDDEN_DIRECTORY', `${cwd} is not within ${what}.`, {
    hint: `Runtimes may run in: ${allowed.join(', ') || 'nothing yet'}. The configuration says so.`,
  })
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

function realDirectory(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // Said below.
  }
  throw new TrailBossError('BAD_CONFIG', `${path} is not a directory.`, {
    hint: 'Make it, or correct the configuration.',
  })
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function shown(name: string): string {
  return truncate(displayLine(name), 80)
}
