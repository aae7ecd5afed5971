/** What the scripted model answers to one request. A test builds these with the functions below. */
export type Reply =
  | { kind: 'message'; blocks: Block[]; hold: Hold | undefined; wordMs: number }
  | { kind: 'error'; status: number; message: string; times: number }

export type Block = { text: string } | { tool: string; input: Record<string, unknown> }

/** Where an answer waits, and for what. */
type Hold = { where: 'before-first-byte' | 'midway'; gate: Gate }

/** A point in an answer at which the model waits until the test lets it go on. */
export type Gate = { reached: Promise<void>; opened: Promise<void>; reach(): void; open(): void }

export type SayOptions = {
  /** Not a byte of the answer is sent before the gate is open. */
  before?: Gate
  /** Half of the answer is sent, the rest when the gate is open. */
  midway?: Gate
  /** The pause between two words; none by default. */
  wordMs?: number
}

export function say(text: string, options: SayOptions = {}): Reply {
  return message([{ text }], options)
}

/** One message that uses tools, one or several. */
export function uses(...tools: Block[]): Reply {
  return message([{ text: 'One moment.' }, ...tools], {})
}

/** The named tool with this input: a block for `uses`. */
export function tool(name: string, input: Record<string, unknown>): Block {
  return { tool: name, input }
}

export function bash(command: string, input: Record<string, unknown> = {}): Reply {
  return uses(tool('Bash', { command, description: 'As asked', ...input }))
}

export function write(path: string, content: string): Reply {
  return uses(tool('Write', { file_path: path, content }))
}

export function read(path: string): Reply {
  return uses(tool('Read', { file_path: path }))
}

/** Claude Code only edits what it has read: `read` comes first. */
export function edit(path: string, from: string, to: string): Reply {
  return uses(tool('Edit', { file_path: path, old_string: from, new_string: to }))
}

export function askUser(question: string, options: string[]): Reply {
  const listed = options.map((label) => ({ label, description: `Choose ${label}` }))
  const asked = { question, header: 'Choice', multiSelect: false, options: listed }
  return uses(tool('AskUserQuestion', { questions: [asked] }))
}

/** Stands for the file that Claude Code names in the request as the one for the plan. */
export const PLAN_FILE = '<plan file>'

/** The plan is shown from its file, so `writePlan` comes first. */
export function writePlan(plan: string): Reply {
  return write(PLAN_FILE, plan)
}

export function exitPlanMode(): Reply {
  return uses(tool('ExitPlanMode', {}))
}

/** Its own requests carry `prompt`: `model.plan(prompt, …)` says what the subagent does. */
export function startSubagent(prompt: string): Reply {
  return uses(subagent(prompt))
}

export function subagent(prompt: string): Block {
  const description = 'Look into it'
  return tool('Agent', { description, prompt, subagent_type: 'general-purpose' })
}

/** A tool of the MCP server in `mcp-server.mjs`: `note` just runs, `choose` asks the operator. */
export function mcp(name: 'note' | 'choose', input: Record<string, unknown> = {}): Reply {
  return uses(tool(`mcp__ranch__${name}`, input))
}

/** The same reply, held back until the gate is open. */
export function after(gate: Gate, reply: Reply): Reply {
  if (reply.kind === 'error') throw new Error('an error cannot be held back')
  return { ...reply, hold: { where: 'before-first-byte', gate } }
}

/** An HTTP error, for as many requests as `times` says; Claude Code tries again by itself. */
export function apiError(
  status: number,
  { message = `scripted ${status}`, times = Number.POSITIVE_INFINITY } = {},
): Reply {
  return { kind: 'error', status, message, times }
}

/** The same answer, of which not a byte is sent before the gate is open. */
export function holdBack(reply: Reply, gate: Gate): Reply {
  if (reply.kind !== 'message') throw new Error('an error is not held back')
  return { ...reply, hold: { where: 'before-first-byte', gate } }
}

export function createGate(): Gate {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    opened: opened.promise,
    reach: reached.resolve,
    open: opened.resolve,
  }
}

function message(blocks: Block[], { before, midway, wordMs = 0 }: SayOptions): Reply {
  const hold: Hold | undefined = before
    ? { where: 'before-first-byte', gate: before }
    : midway && { where: 'midway', gate: midway }
  return { kind: 'message', blocks, hold, wordMs }
}
