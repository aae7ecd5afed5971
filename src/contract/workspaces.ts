import * as v from 'valibot'

/** Who wants it, for the audit. */
export const WorkspacesReloadBody = v.strictObject({
  by: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))),
})

/** By name. */
type Changes = { added: string[]; removed: string[]; changed: string[] }

/** What a reload changed. Fields are added, never taken away. */
export type WorkspacesReloadView = {
  /** The configuration that was read. */
  file: string
  /** All that the daemon knows now. */
  known: string[]
  workspaces: Changes
  /** `<workspace>/<role>`: changed are those that would be started in another way. */
  agents: Changes
  /** Those of them that were removed or changed and still run, as they were started. */
  running: string[]
  /** Other settings that differ from those that the daemon goes by: they need a restart. */
  restart: string[]
}
