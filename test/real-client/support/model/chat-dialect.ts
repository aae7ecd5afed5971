import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Message,
  type ModelDialect,
  nextNumber,
  type Witnessed,
  waitAt,
} from './model-dialect.ts'
import type { Block } from './reply.ts'

/** Chat completions, as opencode sends and reads them. */
export const CHAT: ModelDialect = {
  isRequest: (path) => path.endsWith('/chat/completions'),
  read: (body, _headers, isPlanned) => {
    const { messages, tools = [] } = body as RequestBody
    if (tools.length === 0) return { session: '', prompt: TITLE_REQUEST, results: [], tools: 0 }
    const said = messages.filter(({ role }) => role === 'user').flatMap(textsOf)
    const prompt = said.findLast(isPlanned) ?? said.at(-1) ?? ''
    const after = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1)
    return { session: '', prompt, results: after.flatMap(textsOf), tools: tools.length }
  },
  problem: (_status, message) => ({ error: { message, type: 'scripted', code: null } }),
  stream: (response, reply, seen, body) =>
    (body as RequestBody).tools?.length
      ? stream(response, reply, seen)
      : stream(response, { ...reply, blocks: [{ text: 'Tend the herd' }], hold: undefined }, seen),
}

/** opencode has the first prompt of a session summed up by a request without tools. */
const TITLE_REQUEST = '(a title)'

type RequestBody = {
  messages: { role: string; content: string | { text?: string }[] | null }[]
  tools?: unknown[]
}

function textsOf({ content }: RequestBody['messages'][number]): string[] {
  if (content === null) return []
  return typeof content === 'string' ? [content] : content.flatMap(({ text }) => text ?? [])
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
  const head = { id: `chat_${nextNumber()}`, object: 'chat.completion.chunk', created: 1 }
  const send = (fields: Record<string, unknown>) => {
    response.write(`data: ${JSON.stringify({ ...head, model: 'stub', ...fields })}\n\n`)
  }
  const say = (delta: unknown, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason }] })
  let calls = 0
  for (const block of blocks) {
    if ('tool' in block) {
      say({ tool_calls: [callOf(block, calls++)] })
      continue
    }
    const isInPieces = wordMs > 0 || hold?.where === 'midway'
    const pieces = isInPieces ? (block.text.match(/\S+\s*/g) ?? []) : [block.text]
    for (const [n, content] of pieces.entries()) {
      if (hold?.where === 'midway' && n === Math.ceil(pieces.length / 2)) await waitAt(hold.gate)
      if (wordMs) await delay(wordMs)
      if (response.destroyed) return
      say({ role: 'assistant', content })
    }
  }
  say({}, calls > 0 ? 'tool_calls' : 'stop')
  send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })
  response.end('data: [DONE]\n\n')
}

function callOf({ tool, input }: Extract<Block, { tool: string }>, index: number): unknown {
  const call = { name: tool, arguments: JSON.stringify(input) }
  return { index, id: `call_${nextNumber()}`, type: 'function', function: call }
}
