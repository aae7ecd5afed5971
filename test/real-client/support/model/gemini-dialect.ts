import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Message, type ModelDialect, type Witnessed, waitAt } from './model-dialect.ts'
import type { Block } from './reply.ts'

/** `streamGenerateContent`, as Gemini CLI sends and reads it. */
export const GEMINI_API: ModelDialect = {
  isRequest: (path) => path.includes(':streamGenerateContent'),
  read: (body, _headers, isPlanned) => {
    const { contents = [], tools = [] } = body as RequestBody
    const said = contents.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)
    const texts = said.flatMap(({ text }) => text ?? [])
    const prompt = texts.findLast(isPlanned) ?? texts.at(-1) ?? ''
    const last = contents.at(-1)?.parts ?? []
    const results = last.flatMap(({ functionResponse }) =>
      functionResponse ? [JSON.stringify(functionResponse)] : [],
    )
    return { session: '', prompt, results, tools: tools.length }
  },
  problem: (code, message) => ({ error: { code, message, status: 'SCRIPTED' } }),
  stream,
}

type RequestBody = {
  contents?: { role: string; parts: { text?: string; functionResponse?: unknown }[] }[]
  tools?: unknown[]
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
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
  const send = (part: unknown, finishReason?: string) => {
    const candidate = { content: { role: 'model', parts: [part] }, finishReason, index: 0 }
    response.write(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`)
  }
  for (const block of blocks) {
    const parts = partsOf(block, wordMs > 0 || hold?.where === 'midway')
    for (const [n, part] of parts.entries()) {
      if (hold?.where === 'midway' && n === Math.ceil(parts.length / 2)) await waitAt(hold.gate)
      if (wordMs) await delay(wordMs)
      if (response.destroyed) return
      send(part)
    }
  }
  send({ text: '' }, 'STOP')
  response.end()
}

function partsOf(block: Block, inPieces: boolean): unknown[] {
  if ('tool' in block) return [{ functionCall: { name: block.tool, args: block.input } }]
  const pieces = inPieces ? (block.text.match(/\S+\s*/g) ?? []) : [block.text]
  return pieces.map((text) => ({ text }))
}
