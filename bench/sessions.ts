import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { QueueView } from '../src/contract/responses.ts'
import type { Place } from './place.ts'

export type BenchSession = {
  id: string
  pane: string
  pid: number
  cwd: string
  transcript: string
}

/** Sessions of Claude Code, each in its own pane that runs only `cat`. */
export async function openSessions(place: Place, count: number): Promise<BenchSession[]> {
  const command = "new-window -d -t work: -P -F '#{pane_id} #{pane_pid}' 'exec cat'"
  const opened = await Promise.all(
    Array.from({ length: count }, () => place.control.command(command)),
  )
  return opened.map(([line = ''], index) => {
    const [pane = '', pid] = line.split(' ')
    const id = sessionId(index)
    const name = `project-${index}`
    return {
      id,
      pane,
      pid: Number(pid),
      cwd: join(place.dir, 'projects', name),
      transcript: join(place.dir, 'home', '.claude', 'projects', name, `${id}.jsonl`),
    }
  })
}

export type HookName =
  | 'SessionStart'
  | 'UserPromptSubmit'
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PermissionRequest'
  | 'Stop'

/** The payload of a hook in the shape of Claude Code 2.1. */
export function hookPayload(session: BenchSession, name: HookName, turn: number): string {
  const command = `npm test -- --run case-${turn} && git status --short`
  const tool = {
    tool_name: 'Bash',
    tool_input: { command, description: `Run the tests of turn ${turn}` },
  }
  const fields: Record<HookName, Record<string, unknown>> = {
    SessionStart: { source: 'startup' },
    UserPromptSubmit: { prompt: `Go on with step ${turn}, and keep the tests green.` },
    PreToolUse: { ...tool, tool_use_id: `toolu_${session.id}-${turn}` },
    PostToolUse: {
      ...tool,
      tool_use_id: `toolu_${session.id}-${turn}`,
      tool_response: { stdout: 'ok\n'.repeat(200), stderr: '', interrupted: false },
    },
    PermissionRequest: { ...tool, permission_suggestions: [] },
    Stop: {
      stop_hook_active: false,
      last_assistant_message: `Step ${turn} is done. ${'All tests pass. '.repeat(20)}Shall I go on?`,
    },
  }
  return JSON.stringify({
    session_id: session.id,
    transcript_path: session.transcript,
    cwd: session.cwd,
    permission_mode: 'default',
    hook_event_name: name,
    ...fields[name],
  })
}

/** The same payload as the emitter sends it. */
export function hookBody(
  place: Place,
  session: BenchSession,
  name: HookName,
  turn: number,
  at = Date.now(),
): string {
  const { socket, pid } = place.tmux
  const envelope = {
    v: 1,
    harness: 'claude-code',
    at,
    tmux: `${socket},${pid},0`,
    pane: session.pane,
    pid: session.pid,
    entrypoint: 'cli',
    payload: JSON.parse(hookPayload(session, name, turn)) as unknown,
  }
  return JSON.stringify(envelope)
}

/** The environment of a hook's process that runs in the session's pane. */
export function hookEnvironment(place: Place, session: BenchSession): NodeJS.ProcessEnv {
  return {
    ...place.env,
    TMUX: `${place.tmux.socket},${place.tmux.pid},0`,
    TMUX_PANE: session.pane,
    CLAUDE_PID: String(session.pid),
    CLAUDE_CODE_ENTRYPOINT: 'cli',
  }
}

/** A few connections to a unix socket that stay open. */
export class Line implements Disposable {
  readonly #socketPath: string
  readonly #agent: Agent

  constructor(socketPath: string, connections: number) {
    this.#socketPath = socketPath
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  post(path: string, body: string): Promise<{ status: number; text: string }> {
    return this.#send('POST', path, body)
  }

  get(path: string): Promise<{ status: number; text: string }> {
    return this.#send('GET', path)
  }

  async queue(query = ''): Promise<QueueView> {
    return JSON.parse((await this.get(`/queue${query}`)).text) as QueueView
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const sent = request({
        socketPath: this.#socketPath,
        agent: this.#agent,
        method,
        path,
        headers: { host: 'localhost', 'content-type': 'application/json', ...length },
      })
      // A server closes idle connections, perhaps one that we are just reusing.
      sent.on('error', (error) => {
        if (sent.reusedSocket) this.#send(method, path, body).then(resolve, reject)
        else reject(error)
      })
      sent.on('response', (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      sent.end(body)
    })
  }
}

/** Looks like an id of the harness, and is the same in every run. */
function sessionId(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
}
