import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Message,
  type ModelDialect,
  nextNumber,
  type Witnessed,
  waitAt,
} from './model-dialect.ts'
import { planFileIn, promptOf, type RequestBody, saidIn } from './model-request.ts'
import { type Block, PLAN_FILE } from './reply.ts'

/** Messages, as Claude Code sends and reads them. */
export const ANTHROPIC: ModelDialect = {
  isRequest: (path) => path.startsWith('/v1/messages'),
  // For its list of sessions in the background (2.1.325).
  isAside: (prompt) =>
    /label for this job\.|^<conversation>\n|^<tools-used-before-summary>/.test(prompt),
  read: (body, headers, isPlanned) => ({
    ...promptOf(body as RequestBody, isPlanned),
    said: saidIn(body as RequestBody),
    session: String(headers['x-claude-code-session-id'] ?? ''),
    tools: (body as RequestBody).tools?.length ?? 0,
  }),
  problem: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
  }),
  stream: (response, reply, seen, body) =>
    stream(response, withPlanFile(reply, body as RequestBody), seen),
}

function withPlanFile(reply: Message, body: RequestBody): Message {
  const blocks = reply.blocks.map((block) => {
    if (!('tool' in block) || block.input['file_path'] !== PLAN_FILE) return block
    return { ...block, input: { ...block.input, file_path: planFileIn(body) ?? PLAN_FILE } }
  })
  return { ...reply, blocks }
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

async function stream(
  response: ServerResponse,
  { blocks, hold, wordMs }: Message,
  seen: Witnessed,
): Promise<void> {
  if (hold?.where === 'before-first-byte') await waitAt(hold.gate)
  if (response.destroyed) return
  seen.firstByteAt = Date.now()
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (type: string, fields: Record<string, unknown> = {}): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  const usage = { input_tokens: 10, output_tokens: 5 }
  const id = `msg_${nextNumber()}`
  const head = { id, type: 'message', role: 'assistant', model: MODEL, content: [], usage }
  send('message_start', { message: { ...head, stop_reason: null, stop_sequence: null } })
  for (const [index, block] of blocks.entries()) {
    send('content_block_start', { index, content_block: emptyBlock(block) })
    const deltas = deltasOf(block, wordMs > 0 || hold?.where === 'midway')
    for (const [n, delta] of deltas.entries()) {
      if (hold?.where === 'midway' && n === Math.ceil(deltas.length / 2)) await waitAt(hold.gate)
      if (wordMs) await delay(wordMs)
      if (response.destroyed) return
      send('content_block_delta', { index, delta })
    }
    send('content_block_stop', { index })
  }
  const stop_reason = blocks.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn'
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage })
  send('message_stop')
  response.end()
}

const MODEL = 'claude-sonnet-4-5'

function emptyBlock(block: Block): Record<string, unknown> {
  if ('text' in block) return { type: 'text', text: '' }
  return { type: 'tool_use', id: `toolu_${nextNumber()}`, name: block.tool, input: {} }
}

function deltasOf(block: Block, inPieces: boolean): Record<string, unknown>[] {
  if ('tool' in block) {
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  }
  const pieces = inPieces ? (block.text.match(/\S+\s*/g) ?? []) : [block.text]
  return pieces.map((text) => ({ type: 'text_delta', text }))
}
