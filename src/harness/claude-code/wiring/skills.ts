import { shellWord } from '../../../core/shell-word.ts'

/** A skill of our plugin: its path in the plugin's directory, and its text. */
export type PluginSkill = { path: string; text: string }

/** What a skill runs; includes the home if the session would not find it by itself. */
export type SkillProgram = { program: string; home?: string | undefined }

/** Both drive our own commands. Read-only ones need no permission; starting or ending an agent does. */
export function pluginSkills(launcher: SkillProgram): PluginSkill[] {
  const { program, home } = launcher
  const place = home === undefined ? '' : `TRAILBOSS_HOME=\${TRAILBOSS_HOME:-${shellWord(home)}} `
  const run = `${place}${shellWord(program)}`
  return [
    { path: 'skills/dispatch/SKILL.md', text: dispatchSkill(run, shellWord(program)) },
    { path: 'skills/status/SKILL.md', text: statusSkill(run, shellWord(program)) },
  ]
}

/** Whether we created the file; any other is the user's own. */
export function isOurSkill(text: string): boolean {
  return text.includes(MADE)
}

const MADE = '<!-- Made by "trailboss install claude-code --plugin". -->'

const LOOKS = [
  'dispatch status',
  'dispatch logs',
  'dispatch wait',
  'list',
  'sessions',
  'status',
  'explain',
]

function allowed(program: string): string {
  return LOOKS.map((look) => `Bash(${program} ${look}:*)`).join(', ')
}

function dispatchSkill(run: string, program: string): string {
  return `---
name: dispatch
description: Gives a task to another coding agent (Claude Code, Codex, Gemini CLI, opencode) that works in a tmux pane of its own, follows it until it is done, and brings back what came of it. Use it when the user wants work delegated to a separate agent, done in parallel, or done by another harness.
argument-hint: "[what the other agent is to do]"
allowed-tools: ${allowed(program)}
---
${MADE}

# Dispatch a task to another agent

Trail Boss starts the agent, sees to it that the task arrives, watches it, and puts it into the user's queue when
it needs somebody. You only start it, wait, and report. Never type into its pane, and never read it with tmux.

What was asked for: $ARGUMENTS

## 1. Launch

Choose a short name (a-z, 0-9, - and _). Write the task for somebody who knows nothing of this conversation: the
goal, where to look, what is done when it is done, what not to touch. Pass it on stdin:

\`\`\`sh
${run} dispatch NAME --harness claude-code --cwd DIR --prompt - --json <<'TASK'
…the task…
TASK
\`\`\`

- \`--harness\` is \`claude-code\`, \`codex\`, \`gemini\` or \`opencode\`. Take what the user named, else \`claude-code\`.
- \`--cwd\` has to be within a directory of a configured workspace. Exit code 5 (\`FORBIDDEN_DIRECTORY\`) names those that are.
- A second agent reviews the result if the workspace names a reviewer; \`reviewer\` in the answer says who. If it is
  \`null\` and the user named one, give it with \`--reviewer AGENT\`. Use \`--no-reviewer\` only if the user wants no review.

The answer has \`state\`. It is validated when \`validatedAt\` is set: the agent has shown that it took the task. That
takes a few seconds. Do not dispatch it again if it takes longer: retries are Trail Boss's business.

## 2. Follow

Wait in the background, and go on with your own work:

\`\`\`sh
${run} dispatch wait NAME --or-waiting --timeout 10m --json
\`\`\`

It comes back when the dispatch has ended, when it waits for somebody, or after the time. Look at \`state\`:

| \`state\` | What to do |
|---|---|
| \`launching\`, \`validating\`, \`working\`, \`reviewing\` | Wait again, with the same command. |
| \`waiting\` | \`why\` and \`ask\` say what it wants. Tell the user; it is in his queue, and only he answers. Then wait again, without \`--or-waiting\`. |
| \`done\` | Go on with 3. |
| \`failed\`, \`stopped\` | \`why\` says it. Look at \`${run} dispatch logs NAME\`, and report it. Do not try again unasked. |

## 3. Complete

\`result\` is what the agent said last. Have it reviewed before you call it done:

- \`review\` is what its reviewer said. If that names faults, have them fixed: another dispatch, with the findings in its
  task.
- Without a reviewer (\`review\` is \`null\`), dispatch the review yourself, as NAME-review, to another harness if the user
  has one: the task, the directory, "say what is wrong or missing, and change nothing". If the user wants no review,
  leave it out and say so.

All of these are claims: look at what has really changed in its directory (\`git status\`, \`git diff\`, the tests). Then
tell the user what was done, what the review found, what you checked, and what is open.

Its agent stays in its pane until it is stopped. When the user is through with it: \`${run} dispatch stop NAME\`
`
}

function statusSkill(run: string, program: string): string {
  return `---
name: status
description: Tells how dispatched agents and all other coding agents in tmux are - who works, who waits for the user and for what, who is done. Use it when the user asks how a dispatch or the other agents are doing, or what waits for him.
argument-hint: "[name of a dispatch]"
allowed-tools: ${allowed(program)}
---
${MADE}

# How the agents are

What was asked for: $ARGUMENTS

| To see | Run |
|---|---|
| one dispatch: its state, why it waits, its result | \`${run} dispatch status NAME --json\` |
| all dispatches | \`${run} dispatch status --json\` |
| what was done for one, and the end of its screen | \`${run} dispatch logs NAME --lines 50\` |
| who waits for the user, oldest first, and what each asks | \`${run} list --json\` |
| every session, also those that work | \`${run} sessions --json\` |
| why a session is listed, or is not | \`${run} explain SESSION\` |
| whether Trail Boss itself is well | \`${run} status\` |

Run what answers the question, and only that. Say it in a few sentences: who waits for the user comes first, with what
it asks, then what has ended, then what works. What agents said are claims; say whose they are.

These commands only look. Do not answer for the user, and do not type into anybody's pane.
`
}
