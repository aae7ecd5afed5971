import { TrailBossError } from '../../core/errors.ts'

/** An agent's full name within a workspace; its role alone is enough. */
export function agentIn(workspaceId: string, name: string): string {
  return name.includes('/') ? name : `${workspaceId}/${name}`
}

/** Finds an agent by its full name, or by a role that only one workspace has. */
export function agentNamed(name: string, known: readonly string[]): string {
  if (name.includes('/')) return name
  const [found, ...others] = [...new Set(known)].filter((agentId) => agentId.endsWith(`/${name}`))
  if (others.length > 0) {
    throw new TrailBossError('BAD_REQUEST', `Several workspaces have an agent "${name}".`, {
      hint: `Say which one: ${[found, ...others].join(', ')}.`,
    })
  }
  return found ?? name
}
