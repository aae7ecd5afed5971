import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where Claude Code 2.1 keeps a session's transcript. */
export function transcriptPath(userHome: string, cwd: string, session: string): string {
  const project = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  return join(userHome, '.claude', 'projects', project, `${session}.jsonl`)
}

export type ToolCall = { id: string; name: string; input: Record<string, unknown> }

/** A real transcript reaches the disk in batches, some time after its lines were created. */
const FLUSH_MS = 120

/** Writes the line types of a Claude Code 2.1 transcript, in their order. */
export class Transcript {
  readonly #file: string
  readonly #session: string
  readonly #cwd: string
  #parentUuid: string | null = null
  #pending: string[] = []

  constructor(file: string, session: string, cwd: string) {
    this.#file = file
    this.#session = session
    this.#cwd = cwd
    mkdirSync(dirname(file), { recursive: true })
  }

  prompt(text: string, promptId: string): void {
    this.#append({ type: 'last-prompt', lastPrompt: text, sessionId: this.#session })
    this.#user(text, { origin: { kind: 'human' }, promptSource: 'typed', promptId })
  }

  /** The end of a turn, with the last message. */
  turnEnd(text: string): void {
    this.#assistant({ type: 'text', text }, 'end_turn')
    this.#system({ subtype: 'stop_hook_summary', hookCount: 1, hookErrors: [] })
    this.#system({ subtype: 'turn_duration', durationMs: 1_000 })
  }

  toolUse(call: ToolCall): void {
    this.#assistant({ type: 'tool_use', ...call }, 'tool_use')
  }

  toolResult(call: ToolCall, output: string, approved: boolean): void {
    const result = { tool_use_id: call.id, type: 'tool_result', content: output, is_error: false }
    this.#user([result], {
      toolUseResult: { stdout: output, stderr: '', interrupted: false },
      ...(approved && { permissionDecision: { decision: 'accept', source: 'user_temporary' } }),
    })
  }

  /** Denying fires no hook: these lines are its only trace. */
  toolDenied(call: ToolCall): void {
    const refusal = "The user doesn't want to proceed with this tool use."
    const result = { tool_use_id: call.id, type: 'tool_result', content: refusal, is_error: true }
    this.#user([result], {
      toolUseResult: 'User rejected tool use',
      toolDenialKind: 'user-rejected',
    })
    this.#user([{ type: 'text', text: '[Request interrupted by user for tool use]' }])
    this.#system({ subtype: 'turn_duration', durationMs: 1_000 })
  }

  #user(content: unknown, fields: Record<string, unknown> = {}): void {
    this.#message({ type: 'user', message: { role: 'user', content }, ...fields })
  }

  #assistant(block: Record<string, unknown>, stopReason: string): void {
    const message = {
      id: `msg_${shortId()}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: stopReason,
      stop_sequence: null,
    }
    this.#message({ type: 'assistant', message, requestId: `req_${shortId()}` })
  }

  #system(fields: Record<string, unknown>): void {
    this.#message({ type: 'system', isMeta: false, ...fields })
  }

  #message(fields: Record<string, unknown>): void {
    const uuid = randomUUID()
    this.#append({
      parentUuid: this.#parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: this.#cwd,
      sessionId: this.#session,
      version: '2.1.325',
      gitBranch: 'main',
      entrypoint: 'cli',
      ...fields,
      uuid,
      timestamp: new Date().toISOString(),
    })
    this.#parentUuid = uuid
  }

  #append(line: unknown): void {
    if (this.#pending.length === 0) setTimeout(() => this.#flush(), FLUSH_MS)
    this.#pending.push(`${JSON.stringify(line)}\n`)
  }

  #flush(): void {
    appendFileSync(this.#file, this.#pending.join(''))
    this.#pending = []
  }
}

export function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24)
}
