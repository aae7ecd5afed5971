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

/** Responses, as Codex sends and reads them. */
export const RESPONSES: ModelDialect = {
  isRequest: (path) => path.endsWith('/responses'),
  read: (body, headers, isPlanned) => ({
    ...asked(body as RequestBody, isPlanned),
    session: String(headers['session_id'] ?? headers['session-id'] ?? ''),
    tools: (body as RequestBody).tools?.length ?? 0,
  }),
  problem: (_status, message) => ({ error: { message, type: 'server_error', code: null } }),
  stream: (response, reply, seen, body) =>
    isTitleRequest(body as RequestBody)
      ? stream(response, titled(reply, body as RequestBody), seen)
      : stream(response, reply, seen),
}

type RequestBody = { input: Item[]; tools?: unknown[]; text?: { format?: unknown } }
type Item = { type: string; role?: string; content?: { text?: string }[]; output?: unknown }

/** Codex has the first prompt of a session summed up in a thread of its own. */
const TITLE_REQUEST = '(a title)'

function isTitleRequest({ text }: RequestBody): boolean {
  return text?.format !== undefined
}

/** The prompt itself, as far as there is room. */
function titled(reply: Message, { input }: RequestBody): Message {
  const [, prompt = ''] = /User prompt:\n(.*)/s.exec(input.at(-1)?.content?.[0]?.text ?? '') ?? []
  const title = prompt.replaceAll(/\s+/g, ' ').trim().slice(0, 36).trim() || 'Tend the herd'
  return { ...reply, blocks: [{ text: JSON.stringify({ title }) }] }
}

function asked(
  body: RequestBody,
  isPlanned: (text: string) => boolean,
): { prompt: string; said: string[]; results: string[] } {
  if (isTitleRequest(body)) return { prompt: TITLE_REQUEST, said: [], results: [] }
  const results = trailing(body.input, ({ type }) => type.endsWith('_output')).map(({ output }) =>
    typeof output === 'string' ? output : JSON.stringify(output),
  )
  const said = body.input
    .filter(({ type, role }) => type === 'message' && role === 'user')
    .flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? [])
    .filter((text) => !/^\s*(<|# AGENTS\.md)/.test(text))
  return { prompt: said.findLast(isPlanned) ?? said.at(-1) ?? '', said, results }
}

function trailing(items: Item[], is: (item: Item) => boolean): Item[] {
  return items.slice(items.findLastIndex((item) => !is(item)) + 1)
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
  const id = `resp_${nextNumber()}`
  send('response.created', { response: { id } })
  for (const block of blocks) {
    const item = itemOf(block)
    if ('text' in block) {
      send('response.output_item.added', { item: { ...item, content: [] } })
      const pieces = wordMs > 0 || hold?.where === 'midway' ? words(block.text) : [block.text]
      for (const [index, delta] of pieces.entries()) {
        const isHalf = index === Math.ceil(pieces.length / 2)
        if (hold?.where === 'midway' && isHalf) await waitAt(hold.gate)
        if (wordMs) await delay(wordMs)
        if (response.destroyed) return
        send('response.output_text.delta', { item_id: item.id, delta })
      }
    }
    send('response.output_item.done', { item })
  }
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  send('response.completed', { response: { id, usage } })
  response.end()
}

function words(text: string): string[] {
  return text.match(/\S+\s*/g) ?? []
}

function itemOf(block: Block): Record<string, unknown> & { id: string } {
  if ('text' in block) {
    const content = [{ type: 'output_text', text: block.text }]
    return { id: `msg_${nextNumber()}`, type: 'message', role: 'assistant', content }
  }
  const { input } = block
  const [name, namespace] = block.tool.split('/').toReversed()
  const id = `fc_${nextNumber()}`
  const call = { id, call_id: `call_${nextNumber()}`, ...(namespace && { namespace }) }
  if (typeof input['freeform'] === 'string') {
    return { ...call, type: 'custom_tool_call', name, input: input['freeform'] }
  }
  return { ...call, type: 'function_call', name, arguments: JSON.stringify(input) }
}
