/**
 * Stands in for Claude Code 2.1.325 in a pane: the same hooks in the same order with the same payloads, the
 * same transcript lines and the same keys, without a model. A test decides through a unix socket what the model
 * does next; the human's part comes from the keyboard.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createHooks } from './scripted-agent/hooks.mjs'
import { openJournal } from './scripted-agent/journal.mjs'
import { drawScreen } from './scripted-agent/screen.mjs'
import { createStatusFile } from './scripted-agent/status-file.mjs'
import { createTranscript, transcriptPath } from './scripted-agent/transcript.mjs'

const options = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const journal = openJournal(options.journal)
const hooks = createHooks({ command: options.hookCommand, enabled: options.hooks, journal })
const statusFile = createStatusFile(options.statusFile)

let session = newSession(options.session)
let activity = { state: 'idle' }
let composer = ''
const said = []

function newSession(id) {
  const file = transcriptPath(process.cwd(), id)
  const common = { session: id, cwd: process.cwd(), flushMs: options.flushMs, journal }
  return {
    id,
    cwd: process.cwd(),
    transcript: file,
    promptId: undefined,
    lines: createTranscript({ file, ...common }),
    subagentLines: (agent) =>
      createTranscript({
        file: join(file.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`),
        sidechain: true,
        ...common,
      }),
  }
}

const STATUS = {
  idle: { status: 'idle' },
  working: { status: 'busy' },
  running: { status: 'busy' },
  asking: { status: 'waiting', waitingFor: 'permission prompt' },
}

function become(next) {
  clearTimeout(activity.timer)
  activity = next
  journal('became', { state: next.state })
  statusFile.write(session, STATUS[next.state])
  draw()
}

function draw() {
  const { name, title } = options
  drawScreen({ name, title, session: session.id, said, activity, composer })
}

// What happens in a session, each as one function.

function startSession(source) {
  hooks.fire(session, 'SessionStart', { source })
  become({ state: 'idle' })
}

function submitPrompt(text, origin = 'human') {
  session.promptId = randomUUID()
  hooks.fire(session, 'UserPromptSubmit', { prompt: text })
  session.lines.prompt(text, { promptId: session.promptId, origin })
  work()
}

function work() {
  const timer = options.worksForMs && setTimeout(() => endTurn('Done.'), options.worksForMs)
  become({ state: 'working', timer })
}

function endTurn(text) {
  stopMainThread(text)
  become({ state: 'idle' })
}

function stopMainThread(text, backgroundTasks = []) {
  said.push(text)
  session.lines.text(text)
  session.lines.stopHookSummary()
  session.lines.turnDuration(backgroundTasks.length)
  hooks.fire(session, 'Stop', {
    stop_hook_active: false,
    last_assistant_message: text,
    background_tasks: backgroundTasks,
    session_crons: [],
  })
}

function failTurn(error, text) {
  hooks.fire(session, 'StopFailure', { error, last_assistant_message: text })
  become({ state: 'idle' })
}

/** The tool_use line is on disk while the prompt is pending; PermissionRequest has no tool_use_id. */
function askPermission({ tool = 'Bash', command, runsForMs = 0, subagent }) {
  const call = { id: `toolu_${randomUUID().replaceAll('-', '').slice(0, 22)}`, name: tool }
  const input = { command, description: 'As the plan says' }
  const of = subagent ? { agent_id: subagent.id, agent_type: 'general-purpose' } : {}
  const fields = { ...of, tool_name: tool, tool_input: input }
  ;(subagent?.lines ?? session.lines).toolUse({ ...call, input })
  hooks.fire(session, 'PreToolUse', { ...fields, tool_use_id: call.id })
  hooks.fire(session, 'PermissionRequest', {
    ...fields,
    permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  })
  const notify = () =>
    hooks.fire(session, 'Notification', {
      message: 'Claude needs your permission',
      notification_type: 'permission_prompt',
    })
  const timer = setTimeout(notify, 6000)
  become({ state: 'asking', tool, command, call, fields, runsForMs, subagent, timer })
}

/** Approving fires no hook and writes no line; both come when the tool has ended. */
function approve() {
  const { call, fields, command, runsForMs, subagent } = activity
  const finish = () => {
    const output = `ran ${command}`
    ;(subagent?.lines ?? session.lines).toolResult(call.id, output)
    hooks.fire(session, 'PostToolUse', {
      ...fields,
      tool_response: { stdout: output, stderr: '', interrupted: false },
      tool_use_id: call.id,
      duration_ms: runsForMs,
    })
    if (subagent) endSubagent(subagent)
    else work()
  }
  journal('approved', { command })
  become({ state: 'running', timer: setTimeout(finish, runsForMs) })
}

/** Denying fires no hook either. */
function deny() {
  const { call, command, subagent } = activity
  journal('denied', { command })
  ;(subagent?.lines ?? session.lines).toolDenied(call.id)
  if (!subagent) session.lines.turnDuration()
  become({ state: 'idle' })
}

function interrupt() {
  session.lines.interrupted()
  become({ state: 'idle' })
}

/** Subagents are asynchronous: the main thread's Stop comes after the subagent's request. */
function subagentPermission({ command, runsForMs }) {
  const id = randomUUID().replaceAll('-', '').slice(0, 16)
  const call = { id: `toolu_${id}`, name: 'Agent', input: { prompt: 'Look into it' } }
  session.lines.toolUse(call)
  hooks.fire(session, 'SubagentStart', { agent_id: id, agent_type: 'general-purpose' })
  session.lines.toolResult(call.id, 'Async agent launched', { approved: false })
  const subagent = { id, lines: session.subagentLines(id) }
  askPermission({ command, runsForMs, subagent })
  stopMainThread('Started an agent for that.', [
    { id, type: 'subagent', status: 'running', description: 'Look into it' },
  ])
}

function endSubagent({ id, lines }) {
  lines.text('Inner result.')
  hooks.fire(session, 'SubagentStop', {
    agent_id: id,
    agent_type: 'general-purpose',
    stop_hook_active: false,
    last_assistant_message: 'Inner result.',
    background_tasks: [],
  })
  submitPrompt(
    `<task-notification><task-id>${id}</task-id></task-notification>`,
    'task-notification',
  )
}

function clear(id = randomUUID()) {
  hooks.fire(session, 'SessionEnd', { reason: 'clear' })
  session = newSession(id)
  said.length = 0
  startSession('clear')
}

async function exit(reason) {
  hooks.fire(session, 'SessionEnd', { reason })
  statusFile.remove()
  await settled()
  journal('exited', { reason })
  process.stdout.write('\r\n')
  process.exit(0)
}

async function settled() {
  await Promise.all([hooks.settled(), session.lines.settled(), activity.subagent?.lines.settled()])
}

// The keyboard.

function onKeys(chunk) {
  journal('keys', { keys: chunk, state: activity.state })
  if (chunk === '\u001b') onKey('Escape')
  else if (!chunk.startsWith('\u001b')) for (const key of chunk) onKey(key)
}

function onKey(key) {
  if (activity.state === 'asking') {
    if (key === 'y' || key === '1' || key === '\r') approve()
    else if (key === 'n' || key === '3' || key === 'Escape') deny()
    return
  }
  if (key === 'Escape') {
    if (activity.state !== 'idle') interrupt()
  } else if (key === '\u0003' || key === '\u0004') {
    exit('prompt_input_exit')
  } else if (key === '\r') {
    const text = composer
    composer = ''
    if (text === '/exit') exit('prompt_input_exit')
    else if (text === '/clear') clear()
    else if (text) submitPrompt(text)
  } else {
    composer = key === '\u007f' ? composer.slice(0, -1) : composer + key
    draw()
  }
}

const commands = {
  hello: () => {},
  prompt: ({ text }) => submitPrompt(text),
  stop: ({ text }) => endTurn(text),
  fail: ({ error, text }) => failTurn(error, text),
  askPermission,
  subagentPermission,
  clear: ({ session: id }) => clear(id),
  hooks: ({ enabled }) => {
    hooks.enabled = enabled
  },
  exit: () => setImmediate(exit, 'prompt_input_exit'),
}

process.on('SIGTERM', () => exit('other'))
process.on('SIGHUP', () => exit('other'))
process.stdin.setRawMode?.(true)
process.stdin.setEncoding('utf8')
process.stdin.on('data', onKeys)
startSession(options.source)
await hooks.settled()
if (options.prompt) submitPrompt(options.prompt)

// The test's line to the agent: one JSON command per connection, answered when all its effects are out.

createServer((connection) => {
  let received = ''
  connection.on('error', () => {})
  connection.on('data', async (data) => {
    received += data
    if (!received.endsWith('\n')) return
    const { do: name, ...args } = JSON.parse(received)
    journal('told', { to: name })
    commands[name](args)
    if (name !== 'exit') await settled()
    const { id, transcript, cwd } = session
    connection.end(`${JSON.stringify({ pid: process.pid, session: id, transcript, cwd })}\n`)
  })
}).listen(options.control)
