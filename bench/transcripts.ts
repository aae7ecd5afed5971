import type { BenchSession } from './sessions.ts'

/** A prompt and its answer, as Claude Code 2.1 writes them to a transcript: the session waits for its human. */
export function stoppedTurn(session: BenchSession, at: number): string {
  return workingTurn(session, at - 1_000) + assistant(session, at)
}

/** A prompt that the session still works on. */
export function workingTurn(session: BenchSession, at: number): string {
  return line(session, at, {
    type: 'user',
    message: { role: 'user', content: 'Go on.' },
    origin: { kind: 'human' },
    promptSource: 'typed',
  })
}

/** About `bytes` of earlier turns, tools and their results, from `at` on. */
export function filler(bytes: number, at: number): string {
  const session = { id: 'earlier', pane: '', pid: 0, cwd: '/earlier', transcript: '' }
  const turns: string[] = []
  for (let length = 0; length < bytes; length += turns.at(-1)?.length ?? 0) {
    turns.push(toolTurn(session, at + turns.length * 1_000, `toolu_${turns.length}`))
  }
  return turns.join('')
}

function toolTurn(session: BenchSession, at: number, id: string): string {
  const tool = { type: 'tool_use', id, name: 'Bash', input: { command: `npm test # ${id}` } }
  const output = 'ok 1 - it does what it says\n'.repeat(50)
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

function assistant(session: BenchSession, at: number): string {
  return line(session, at, {
    type: 'assistant',
    message: {
      id: `msg_${session.id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'The step is done. Shall I go on?' }],
      stop_reason: 'end_turn',
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
