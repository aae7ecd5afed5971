import type { BenchSession } from './sessions.ts'

/** Lines of a transcript as Claude Code 2.1 writes them: a prompt and, when it `stopped`, its answer. */
export function stoppedTurn(session: BenchSession, stopped: boolean, at: number): string {
  const prompt = line(session, at - 1_000, {
    type: 'user',
    message: { role: 'user', content: 'Go on.' },
    origin: { kind: 'human' },
    promptSource: 'typed',
  })
  if (!stopped) return prompt
  return prompt + assistant(session, at, 'The step is done. Shall I go on?', 'end_turn')
}

/** A tool used and its result, `bytes` long or a little more. */
export function toolTurn(session: BenchSession, at: number, id: string, bytes: number): string {
  const tool = { type: 'tool_use', id, name: 'Bash', input: { command: `npm test # ${id}` } }
  const output = 'ok 1 - it does what it says\n'.repeat(Math.ceil(bytes / 28))
  return (
    line(session, at, {
      type: 'assistant',
      message: { id: `msg_${id}`, role: 'assistant', content: [tool], stop_reason: 'tool_use' },
    }) +
    line(session, at + 1, {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: false }],
      },
      toolUseResult: { stdout: output, stderr: '', interrupted: false },
    })
  )
}

function assistant(session: BenchSession, at: number, text: string, stopReason: string): string {
  return line(session, at, {
    type: 'assistant',
    message: {
      id: `msg_${session.id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text }],
      stop_reason: stopReason,
    },
  })
}

function line(session: BenchSession, at: number, fields: Record<string, unknown>): string {
  const record = {
    isSidechain: false,
    cwd: session.cwd,
    sessionId: session.id,
    version: '2.1.325',
    entrypoint: 'cli',
    ...fields,
    timestamp: new Date(at).toISOString(),
  }
  return `${JSON.stringify(record)}\n`
}
