import type { WorkspacesReloadView } from '../../contract/workspaces.ts'
import { displayLine } from '../../core/text.ts'
import { fieldLines } from '../../text/fields.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** A workspace of the configuration. */
export type WorkspaceView = {
  name: string
  directories: readonly string[]
  /** The harness of each role. */
  roles: Readonly<Record<string, string>>
  orchestrator: string | null
  reviewer: string | null
}

export function workspaceTable(workspaces: readonly WorkspaceView[], reader: Reader): string {
  return table(workspaces, reader, [
    ['WORKSPACE', ({ name }) => name],
    ['ROLES', ({ roles }) => rolesText(roles)],
    ['ORCHESTRATOR', ({ orchestrator }) => orchestrator ?? '-', { from: 120 }],
    ['REVIEWER', ({ reviewer }) => reviewer ?? '-', { from: 120 }],
    ['DIRECTORIES', ({ directories }) => directories.join(', ')],
  ])
}

/** What a reload changed, and what it did not. */
export function reloadText(view: WorkspacesReloadView, reader: Reader): string {
  const { file, known, workspaces, agents, running, restart } = view
  const fields = [...changeFields('workspace', workspaces), ...changeFields('agent', agents)]
  const now = known.length > 0 ? `it knows ${known.join(', ')}` : 'it knows no workspace'
  return [
    `The daemon has read ${displayLine(file)} again: ${now}.`,
    ...(fields.length > 0
      ? fieldLines(fields, reader)
      : ['Nothing has changed in its workspaces.']),
    ...stillRunning(running, agents.removed),
    ...(restart.length > 0
      ? [
          `Other settings have changed, too: ${restart.join(', ')}. They need a restart: trailboss restart`,
        ]
      : []),
  ].join('\n')
}

type Changes = WorkspacesReloadView['agents']

function changeFields(what: string, changes: Changes): [string, string][] {
  return (['added', 'changed', 'removed'] as const).flatMap((how): [string, string][] =>
    changes[how].length > 0 ? [[`${what}s ${how}`, changes[how].join(', ')]] : [],
  )
}

function stillRunning(running: readonly string[], removed: readonly string[]): string[] {
  const gone = running.filter((agent) => removed.includes(agent))
  const changed = running.filter((agent) => !removed.includes(agent))
  return [
    ...(changed.length > 0
      ? [
          `${changed.join(', ')}: still running as before. To start it in the new way: trailboss runtime restart ${changed[0]}`,
        ]
      : []),
    ...(gone.length > 0
      ? [`${gone.join(', ')}: still running. To end it: trailboss runtime stop ${gone[0]}`]
      : []),
  ]
}

function rolesText(roles: WorkspaceView['roles']): string {
  const all = Object.entries(roles).map(([role, harness]) => `${role} (${harness})`)
  return all.join(', ') || '-'
}
