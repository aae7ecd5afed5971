import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { TrailBossError } from '../core/errors.ts'
import type { RoleConfig, WorkspaceConfig } from './workspaces.ts'

/** The real path where a role runs. Throws `BAD_CONFIG` or `FORBIDDEN_DIRECTORY` if it cannot run there. */
export function placeOfRole(
  workspaceId: string,
  workspace: WorkspaceConfig,
  { cwd }: Pick<RoleConfig, 'cwd'>,
): string {
  return placeWithin(workspaceId, workspace, cwd ?? workspace.directories[0] ?? '/')
}

/** The real path of this directory. Throws like `placeOfRole`. */
export function placeWithin(
  workspaceId: string,
  workspace: WorkspaceConfig,
  directory: string,
): string {
  const real = realDirectory(directory)
  if (directoriesAround(workspace, real).length > 0) return real
  throw outside(real, `workspace ${workspaceId}`, [workspace])
}

/** The role's settings come before those of its workspace for that harness. */
export function programIn(
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

/** Throws `BAD_CONFIG` if it is not a directory. */
export function realDirectory(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // Reported below.
  }
  throw new TrailBossError('BAD_CONFIG', `${path} is not a directory.`, {
    hint: 'Make it, or correct the configuration.',
  })
}

/** The workspace's directories that contain this real path, as the configuration writes them. */
export function directoriesAround({ directories }: WorkspaceConfig, real: string): string[] {
  return directories.filter((directory) => isWithin(realOrSame(directory), real))
}

export function outside(
  cwd: string,
  what: string,
  workspaces: readonly WorkspaceConfig[],
): TrailBossError {
  const allowed = workspaces.flatMap(({ directories }) => directories)
  return new TrailBossError('FORBIDDEN_DIRECTORY', `${cwd} is not within ${what}.`, {
    hint: `Runtimes may run in: ${allowed.join(', ') || 'nothing yet'}. The configuration says so.`,
  })
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
