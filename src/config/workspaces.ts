import { isAbsolute } from 'node:path'
import * as v from 'valibot'
import { DEFAULT_POLICY, TRIAGE_POLICIES } from '../core/supervisor/policy.ts'

/** Names that mean something else in an object, so that valibot leaves them out. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** It becomes part of the name of a tmux session or window. */
const NAME = v.pipe(
  v.string(),
  v.regex(
    /^[a-z0-9_][a-z0-9_-]{0,39}$/,
    'a name of up to 40 of these: a-z, 0-9, _ and, but for its first letter, -',
  ),
  v.check((name) => !RESERVED.has(name), 'another name: this one is reserved'),
)
const word = v.pipe(v.string(), v.minLength(1), v.maxLength(4_096), v.regex(/^[^\0]*$/, 'no NUL'))
const directory = v.pipe(word, v.check(isAbsolute, 'an absolute path'))

const command = v.optional(v.pipe(v.array(word), v.minLength(1), v.maxLength(200)))
const VARIABLE = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_]\w*$/, 'the name of a variable: letters, digits and _'),
)
const env = v.optional(v.record(VARIABLE, v.string()), {})
const channel = v.optional(v.boolean())

/** valibot takes a list for a record of numbered entries. */
const notList = v.check(
  (input: unknown) =>
    !Array.isArray(input) && !Object.keys(input ?? {}).some((name) => RESERVED.has(name)),
  'an object by name, not a list, and without names that are reserved (__proto__, constructor, prototype)',
)

const RoleSchema = v.strictObject({
  /** The harness that it runs. */
  harness: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  /** The program and its arguments; ours come after them. The default is the harness's own name. */
  command,
  /** Variables of its environment besides those of the tmux server. */
  env,
  /** False: prompts are typed even if the harness has a channel of its own for them. */
  channel,
  /** The prompt that a new session begins with. */
  prompt: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(32_768))),
  /** Within the directories of its workspace; the default is the first of them. */
  cwd: v.optional(directory),
  policy: v.optional(v.picklist(TRIAGE_POLICIES)),
})

/** If a role is named, it must be one of the workspace's own. */
const isOwnRole = (key: 'orchestrator' | 'reviewer') =>
  v.check(
    (workspace: WorkspaceConfig) => {
      const role = workspace[key]
      return role === undefined || Object.hasOwn(workspace.roles, role)
    },
    ({ input }) => {
      const roles = Object.keys(input.roles).join(', ') || 'it has none'
      return `"${input[key]}" is not a role of this workspace (${roles})`
    },
  )

const WorkspaceSchema = v.strictObject({
  /** Runtimes of this workspace run in these directories and below, and nowhere else. */
  directories: v.pipe(v.array(directory), v.minLength(1), v.maxLength(50)),
  /** What may be done about a runtime that stalls. */
  policy: v.optional(v.picklist(TRIAGE_POLICIES), DEFAULT_POLICY),
  /** The role that the others report to: it learns when you typed into another's pane. */
  orchestrator: v.optional(NAME),
  /** Whether the orchestrator may unblock and close threads, too. */
  orchestratorDecides: v.optional(v.boolean(), true),
  /** The role that reviews the result of a dispatch, unless the dispatch says otherwise. */
  reviewer: v.optional(NAME),
  roles: v.optional(v.pipe(v.unknown(), notList, v.record(NAME, RoleSchema)), {}),
  /** How a harness is started here, for dispatches and for roles that do not override it. */
  harnesses: v.optional(
    v.record(
      v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
      v.strictObject({ command, env, channel }),
    ),
    {},
  ),
})

/** The workspaces whose runtimes the supervisor manages. Without any, it does not run. */
export const WorkspacesSchema = v.pipe(
  v.unknown(),
  notList,
  v.record(
    NAME,
    v.pipe(
      WorkspaceSchema,
      v.forward(isOwnRole('orchestrator'), ['orchestrator']),
      v.forward(isOwnRole('reviewer'), ['reviewer']),
    ),
  ),
)

export type WorkspaceConfig = v.InferOutput<typeof WorkspaceSchema>
export type RoleConfig = v.InferOutput<typeof RoleSchema>

/** Whether a workspace or a role may have this name. */
export function isWorkspaceName(text: string): boolean {
  return v.is(NAME, text)
}
