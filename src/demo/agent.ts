import { randomUUID } from 'node:crypto'
import { Hooks } from './hooks.ts'
import type { Pace } from './pace.ts'
import { Pane } from './pane.ts'
import type { Permission, Question, Scenario, Stop, Turn } from './scenarios.ts'
import { shortId, type ToolCall, Transcript, transcriptPath } from './transcript.ts'

export type AgentSettings = {
  name: string
  scenario: Scenario
  /** Runs at each hook, with the payload on its stdin. */
  hookCommand: readonly [string, ...string[]]
  prefix: string
  pace: Pace
}

type Agent = { pane: Pane; hooks: Hooks; transcript: Transcript; pace: Pace }

const COMMAND_MS = 600

/**
 * Stands in for Claude Code in a pane: the same hooks and the same transcript in the same order, and a human
 * who answers in the pane. It works, asks, and continues until its pane is closed.
 */
export async function runAgent(settings: AgentSettings): Promise<never> {
  const { scenario, pace } = settings
  const agent = startAgent(settings)
  await agent.hooks.fire('SessionStart', { source: 'startup' })
  await submitPrompt(agent, scenario.task)
  for (let count = 0; ; count++) {
    const turn = scenario.turns[count % scenario.turns.length] ?? scenario.turns[0]
    await work(agent, turn)
    await pace.mayAsk(count)
    await ask(agent, turn.ask)
  }
}

function startAgent({ name, scenario, hookCommand, prefix, pace }: AgentSettings): Agent {
  const cwd = process.cwd()
  const id = randomUUID()
  const file = transcriptPath(process.env['HOME'] ?? cwd, cwd, id)
  const hooks = new Hooks(hookCommand, { id, transcript: file, cwd })
  const leave = async () => {
    await hooks.settled()
    process.exit(0)
  }
  process.on('SIGHUP', leave)
  process.on('SIGTERM', leave)
  const pane = new Pane({ name, task: scenario.task, prefix, animated: pace.animated })
  return { pane, hooks, transcript: new Transcript(file, id, cwd), pace }
}

async function submitPrompt({ pane, hooks, transcript }: Agent, text: string): Promise<void> {
  const promptId = randomUUID()
  hooks.promptId = promptId
  transcript.prompt(text, promptId)
  pane.say('answered', text)
  pane.work('Thinking')
  await hooks.fire('UserPromptSubmit', { prompt: text })
}

/** Tool calls that need no permission. */
async function work({ pane, hooks, transcript, pace }: Agent, turn: Turn): Promise<void> {
  const pauseMs = turn.workMs / (turn.steps.length + 1)
  pane.work('Working')
  for (const step of turn.steps) {
    const [, tool = '', target = ''] = /^(\S+) (.*)$/.exec(step) ?? []
    await pace.pause(pauseMs)
    const call = toolCall(tool, { [TARGET_FIELD[tool] ?? 'target']: target })
    pane.say('did', `${tool}(${target})`)
    transcript.toolUse(call)
    await hooks.fire('PreToolUse', hookFields(call))
    transcript.toolResult(call, 'ok', false)
    await hooks.fire('PostToolUse', { ...hookFields(call), tool_response: 'ok', duration_ms: 5 })
  }
  await pace.pause(pauseMs)
}

function ask(agent: Agent, request: Turn['ask']): Promise<void> {
  switch (request.kind) {
    case 'permission':
      return askPermission(agent, request)
    case 'question':
      return askQuestion(agent, request)
    case 'stopped':
      return stop(agent, request)
  }
}

async function askPermission(agent: Agent, request: Permission): Promise<void> {
  const { pane, hooks, transcript, pace } = agent
  const call = toolCall('Bash', { command: request.command, description: request.description })
  pane.ask({ kind: 'permission', ask: request })
  await requestPermission(agent, call)
  const answer = await pane.yesOrNo()
  pane.say('did', `Bash(${request.command})`)
  if (answer === 'no') {
    transcript.toolDenied(call)
    pane.say('result', 'You said no. What should it do instead?')
    return submitPrompt(agent, await pane.sentence('leave that out and go on'))
  }
  // Approving fires no hook; the first sign of it is the end of the command.
  pane.work('Running')
  await pace.pause(COMMAND_MS)
  transcript.toolResult(call, request.output, true)
  pane.say('result', request.output)
  await hooks.fire('PostToolUse', {
    ...hookFields(call),
    tool_response: { stdout: request.output, stderr: '', interrupted: false },
    duration_ms: COMMAND_MS,
  })
}

async function askQuestion(agent: Agent, request: Question): Promise<void> {
  const { pane, hooks, transcript } = agent
  const { question, header, options } = request
  const questions = [{ question, header, multiSelect: false, options }]
  const call = toolCall('AskUserQuestion', { questions })
  pane.ask({ kind: 'question', ask: request, selected: 0 })
  await requestPermission(agent, call)
  const answer = await pane.choice(request)
  pane.say('message', question)
  pane.say('answered', answer)
  pane.work('Thinking')
  transcript.toolResult(call, `Your question has been answered: ${answer}`, false)
  const answered = { ...call, input: { questions, answers: { [question]: answer } } }
  await hooks.fire('PostToolUse', { ...hookFields(answered), tool_response: answer })
}

async function stop(agent: Agent, { message, suggestion }: Stop): Promise<void> {
  const { pane, hooks, transcript } = agent
  pane.say('message', message)
  pane.ask({ kind: 'composer', text: '', suggestion })
  transcript.turnEnd(message)
  await hooks.fire('Stop', {
    stop_hook_active: false,
    last_assistant_message: message,
    background_tasks: [],
    session_crons: [],
  })
  await submitPrompt(agent, await pane.sentence(suggestion))
}

/** Unlike the other hooks of a tool, PermissionRequest does not carry its id. */
async function requestPermission({ hooks, transcript }: Agent, call: ToolCall): Promise<void> {
  transcript.toolUse(call)
  await hooks.fire('PreToolUse', hookFields(call))
  const { tool_use_id: _, ...fields } = hookFields(call)
  await hooks.fire('PermissionRequest', { ...fields, permission_suggestions: [] })
}

const TARGET_FIELD: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  Grep: 'pattern',
  Bash: 'command',
}

function toolCall(name: string, input: Record<string, unknown>): ToolCall {
  return { id: `toolu_${shortId()}`, name, input }
}

function hookFields({ id, name, input }: ToolCall) {
  return { tool_name: name, tool_input: input, tool_use_id: id }
}
