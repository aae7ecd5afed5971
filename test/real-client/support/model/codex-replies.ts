import { type Reply, say, tool, uses } from './reply.ts'

/** A command that Codex runs in its sandbox, without asking. */
export function exec(cmd: string): Reply {
  return uses(tool('exec_command', { cmd }))
}

/** One that it asks about. */
export function escalated(cmd: string, justification = 'As you asked'): Reply {
  const asked = { cmd, sandbox_permissions: 'require_escalated', justification }
  return uses(tool('exec_command', asked))
}

/** A new file outside of the workspace, which it asks about. */
export function patch(path: string, ...lines: string[]): Reply {
  const added = lines.map((line) => `+${line}\n`).join('')
  const text = `*** Begin Patch\n*** Add File: ${path}\n${added}*** End Patch`
  return uses(tool('exec_command', { cmd: `apply_patch <<'EOF'\n${text}\nEOF\n` }))
}

/** Only in plan mode; elsewhere Codex answers it with a refusal. */
export function question(text: string, ...labels: string[]): Reply {
  const options = labels.map((label) => ({ label, description: `Choose ${label}` }))
  const questions = [{ id: 'q', header: 'Choice', question: text, options }]
  return uses(tool('request_user_input', { questions }))
}

/** What ends a turn in plan mode with the question whether to begin. */
export function proposedPlan(plan: string): Reply {
  return say(`<proposed_plan>\n${plan}\n</proposed_plan>`)
}

/** Its own requests carry `message`. */
export function spawnAgent(message: string): Reply {
  return uses(tool('multi_agent_v1/spawn_agent', { message }))
}
