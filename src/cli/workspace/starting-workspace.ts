import { basename } from 'node:path'
import { isWorkspaceName } from '../../config/workspaces.ts'

/** A workspace as `workspace init` writes it. */
export type StartingWorkspace = {
  name: string
  directory: string
  /** The harness of each role. */
  roles: Readonly<Record<string, string>>
  orchestrator?: string | undefined
  reviewer?: string | undefined
}

/** The default name of a workspace in this directory. */
export function nameFor(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
  return isWorkspaceName(name) ? name : 'main'
}

/**
 * A member of "workspaces", with comments. `indent` is that of its first line, `unit` one step more. `harnesses`
 * are the names that a role can have.
 */
export function workspaceText(
  workspace: StartingWorkspace,
  harnesses: readonly string[],
  { indent, unit, eol }: { indent: string; unit: string; eol: string },
): string {
  const { name, directory, roles, orchestrator, reviewer } = workspace
  const entries = Object.entries(roles)
  const [example = 'lead'] = Object.keys(roles)
  const lines = [
    `${json(name)}: {`,
    `${unit}// Agents run in these directories and below, nowhere else.`,
    `${unit}"directories": [${json(directory)}],`,
    `${unit}// The role that the others report to: it learns when you prompt, answer or interrupt another agent.`,
    `${unit}${named('orchestrator', orchestrator, 'lead')}`,
    `${unit}// The role that reviews what a dispatched agent did, unless you dispatch it with --no-reviewer.`,
    `${unit}${named('reviewer', reviewer, 'reviewer')}`,
    `${unit}// If an agent hangs: "escalate" presses nothing and leaves it to you, "nudge" may press Enter,`,
    `${unit}// "approve" may also take the marked answer of a dialog, if that applies only once.`,
    `${unit}"policy": "escalate",`,
    `${unit}// The agents, called <workspace>/<role>: ${name}/${example}. Harnesses: ${harnesses.join(', ')}.`,
    `${unit}// A role can also have`,
    `${unit}//   "prompt": "You lead the work here."      what a new session begins with`,
    `${unit}//   "command": ["program", "--option"]       what starts it, instead of the harness's own program`,
    `${unit}//   "env": {"NAME": "value"}                 more variables for it`,
    `${unit}//   "cwd": "/a/directory/within"             where it runs, instead of the first directory`,
    `${unit}//   "policy": "nudge"                        instead of the workspace's`,
    `${unit}"roles": {`,
    ...entries.map(([role, harness], at) => {
      const comma = at === entries.length - 1 ? '' : ','
      return `${unit}${unit}${json(role)}: { "harness": ${json(harness)} }${comma}`
    }),
    `${unit}}`,
    '}',
  ]
  return lines.join(eol + indent)
}

/** If it is not set, a comment with an example. */
function named(key: string, role: string | undefined, example: string): string {
  return role === undefined ? `// ${json(key)}: ${json(example)},` : `${json(key)}: ${json(role)},`
}

function json(value: string): string {
  return JSON.stringify(value)
}
