import { spawn } from 'node:child_process'

/**
 * Fires hooks as Claude Code 2.1 does with `"async": true`: one process each, payload on stdin, not
 * waited for. Payloads carry no timestamp and no sequence number.
 */
export function createHooks({ command, enabled, journal }) {
  const running = new Set()
  let on = enabled

  return {
    set enabled(value) {
      on = value
    },
    fire(session, name, fields = {}) {
      if (!on) {
        journal('dropped-hook', { name })
        return
      }
      const payload = JSON.stringify({
        session_id: session.id,
        transcript_path: session.transcript,
        cwd: session.cwd,
        ...(session.promptId && { prompt_id: session.promptId }),
        permission_mode: 'default',
        effort: { level: 'medium' },
        hook_event_name: name,
        ...fields,
      })
      const done = run(command, payload, hookEnvironment(session)).then((result) => {
        journal('hook', { name, ...result })
        running.delete(done)
      })
      running.add(done)
    },
    /** Resolves when every hook fired so far has exited. */
    async settled() {
      await Promise.all(running)
    },
  }
}

function hookEnvironment(session) {
  return {
    ...process.env,
    CLAUDECODE: '1',
    CLAUDE_PID: String(process.pid),
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_SESSION_ID: session.id,
    CLAUDE_PROJECT_DIR: session.cwd,
  }
}

/** The emitter's work may outlive it: it is over when nothing holds the last of these pipes any more. */
function run([file, ...args], payload, env) {
  const startedAt = Date.now()
  return new Promise((resolve) => {
    const stdio = ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe']
    const child = spawn(file, args, { env, stdio })
    child.stdio[5].resume()
    let output = ''
    const finish = (exit) => resolve({ exit, ms: Date.now() - startedAt, output })
    child.stdout.on('data', (data) => {
      output += data
    })
    child.stderr.on('data', (data) => {
      output += data
    })
    child.stdin.on('error', () => {})
    child.on('error', (error) => finish(String(error)))
    child.on('close', (code) => finish(code))
    child.stdin.end(payload)
  })
}
