import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where Claude Code 2.1 keeps a session's transcript. */
export function transcriptPath(cwd, session) {
  const config = process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME, '.claude')
  return join(config, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${session}.jsonl`)
}

/**
 * The transcript in the line types and the order of Claude Code 2.1.325. A line carries the time at which it
 * was created and reaches the disk a little later, in batches.
 */
export function createTranscript({ file, session, cwd, flushMs, journal, sidechain = false }) {
  let pending = []
  let timer
  let parentUuid = null
  const waiting = []

  const flush = () => {
    timer = undefined
    const lines = pending
    pending = []
    mkdirSync(dirname(file), { recursive: true })
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    journal('transcript', { types: lines.map(({ type, subtype }) => subtype ?? type) })
    for (const resolve of waiting.splice(0)) resolve()
  }
  const append = (line) => {
    pending.push(line)
    timer ??= setTimeout(flush, flushMs)
  }
  const message = (fields) => {
    const uuid = randomUUID()
    append({
      parentUuid,
      isSidechain: sidechain,
      userType: 'external',
      cwd,
      sessionId: session,
      version: '2.1.325',
      gitBranch: 'main',
      entrypoint: 'cli',
      ...fields,
      uuid,
      timestamp: new Date().toISOString(),
    })
    parentUuid = uuid
  }
  const assistant = (content, stop_reason, extra = {}) =>
    message({
      type: 'assistant',
      message: {
        id: `msg_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [content],
        stop_reason,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 10 },
      },
      requestId: `req_${randomUUID()}`,
      ...extra,
    })
  const user = (content, extra = {}) =>
    message({ type: 'user', message: { role: 'user', content }, ...extra })

  return {
    prompt(text, { promptId, origin = 'human' }) {
      append({ type: 'last-prompt', lastPrompt: text, sessionId: session })
      append({ type: 'permission-mode', permissionMode: 'default', sessionId: session })
      append({
        type: 'file-history-snapshot',
        messageId: randomUUID(),
        snapshot: { trackedFileBackups: {} },
        isSnapshotUpdate: false,
      })
      const typed = origin === 'human' ? { promptSource: 'typed' } : {}
      user(text, { origin: { kind: origin }, promptId, ...typed })
    },
    text: (text) => assistant({ type: 'text', text }, 'end_turn'),
    toolUse: ({ id, name, input }) => assistant({ type: 'tool_use', id, name, input }, 'tool_use'),
    toolResult(id, output, { approved = true } = {}) {
      const decision = { decision: 'accept', source: 'user_temporary' }
      user([{ tool_use_id: id, type: 'tool_result', content: output, is_error: false }], {
        toolUseResult: { stdout: output, stderr: '', interrupted: false },
        ...(approved && { permissionDecision: decision }),
      })
    },
    toolDenied(id) {
      const refusal = "The user doesn't want to proceed with this tool use."
      user([{ type: 'tool_result', content: refusal, is_error: true, tool_use_id: id }], {
        toolUseResult: 'User rejected tool use',
        toolDenialKind: 'user-rejected',
      })
      user([{ type: 'text', text: '[Request interrupted by user for tool use]' }])
    },
    interrupted() {
      assistant({ type: 'text', text: 'So far' }, null, { isAbortedMidStream: true })
      user([{ type: 'text', text: '[Request interrupted by user]' }], {
        interruptedMessageId: parentUuid,
      })
    },
    stopHookSummary: () =>
      message({
        type: 'system',
        subtype: 'stop_hook_summary',
        hookCount: 1,
        hookErrors: [],
        preventedContinuation: false,
      }),
    turnDuration: (pendingBackgroundAgentCount) =>
      message({
        type: 'system',
        subtype: 'turn_duration',
        durationMs: 1234,
        isMeta: false,
        ...(pendingBackgroundAgentCount && { pendingBackgroundAgentCount }),
      }),
    /** Resolves when every line created so far is on disk. */
    settled: () =>
      timer === undefined ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
