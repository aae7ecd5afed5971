import { isAbsolute } from 'node:path'
import * as v from 'valibot'
import { DEFAULT_POLICY, TRIAGE_POLICIES } from '../core/supervisor/policy.ts'

/** It becomes part of the name of a tmux session or window. */
const NAME = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9_-]{1,40}$/, 'a name of up to 40 of these: a-z, 0-9, - and _'),
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
const notList = v.check((input: unknown) => !Array.isArray(input), 'an object by name, not a list')

const RoleSchema = v.strictObject({
  /** The name of the harness that it runs. */
  harness: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  /** The program and its arguments; ours come after them. By default the harness's own name. */
  command,
  /** Variables of its environment besides those of the tmux server. */
  env,
  /** False: prompts are typed, though the harness has a channel of its own for them. */
  channel,
  /** What a new session begins with. */
  prompt: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(32_768))),
  /** Within the directories of its workspace; by default the first of them. */
  cwd: v.optional(directory),
  policy: v.optional(v.picklist(TRIAGE_POLICIES)),
})

const WorkspaceSchema = v.strictObject({
  /** Runtimes of this workspace run in these and below, and nowhere else. */
  directories: v.pipe(v.array(directory), v.minLength(1), v.maxLength(50)),
  /** What may be done about a runtime that stalls. */
  policy: v.optional(v.picklist(TRIAGE_POLICIES), DEFAULT_POLICY),
  /** The role that the others report to: it learns when you typed into another's pane. */
  orchestrator: v.optional(NAME),
  roles: v.optional(v.pipe(v.unknown(), notList, v.record(NAME, RoleSchema)), {}),
  /** How a harness is started here, for dispatches and for roles that do not say otherwise. */
  harnesses: v.optional(
    v.record(
      v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
      v.strictObject({ command, env, channel }),
    ),
    {},
  ),
})

/** The workspaces whose runtimes the supervisor looks after. Without any it does not run. */
export const WorkspacesSchema = v.pipe(
  v.unknown(),
  notList,
  v.record(NAME, WorkspaceSchema),
  v.check(
    (workspaces) =>
      Object.values(workspaces).every(
        ({ orchestrator, roles }) =>
          orchestrator === undefined || Object.hasOwn(roles, orchestrator),
      ),
    'an orchestrator is to be one of the roles of its workspace',
  ),
)

export type WorkspaceConfig = v.InferOutput<typeof WorkspaceSchema>
export type RoleConfig = v.InferOutput<typeof RoleSchema>
