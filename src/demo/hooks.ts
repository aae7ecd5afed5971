import { spawn } from 'node:child_process'

export type HookSession = { id: string; transcript: string; cwd: string }

/** Fires hooks as Claude Code 2.1 does: one process each, the payload on stdin. */
export class Hooks {
  readonly #command: readonly [string, ...string[]]
  readonly #session: HookSession
  #promptId: string | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(command: readonly [string, ...string[]], session: HookSession) {
    this.#command = command
    this.#session = session
  }

  /** Payloads carry the prompt that the turn began with. */
  set promptId(id: string) {
    this.#promptId = id
  }

  /** Resolves when the hook has exited; a hook that cannot run is the router's loss, not the agent's. */
  fire(name: string, fields: Record<string, unknown> = {}): Promise<void> {
    const { id, transcript, cwd } = this.#session
    const payload = JSON.stringify({
      session_id: id,
      transcript_path: transcript,
      cwd,
      ...(this.#promptId && { prompt_id: this.#promptId }),
      permission_mode: 'default',
      effort: { level: 'medium' },
      hook_event_name: name,
      ...fields,
    })
    const done = this.#run(payload)
    this.#running = Promise.all([this.#running, done])
    return done
  }

  async settled(): Promise<void> {
    await this.#running
  }

  #run(payload: string): Promise<void> {
    const [file, ...args] = this.#command
    const { id, cwd } = this.#session
    const env = {
      ...process.env,
      CLAUDECODE: '1',
      CLAUDE_PID: String(process.pid),
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: id,
      CLAUDE_PROJECT_DIR: cwd,
    }
    return new Promise((resolve) => {
      const child = spawn(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
      child.on('error', () => resolve())
      child.on('close', () => resolve())
      child.stdin.on('error', () => {})
      child.stdin.end(payload)
    })
  }
}
