import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '../../support/wait-for.ts'
import { planFileIn, promptOf, type RequestBody } from './model-request.ts'
import { type Block, PLAN_FILE, type Reply, say } from './reply.ts'

/** One request as the model saw it: a witness of who worked when that owes nothing to the product. */
export type Witnessed = {
  /** Epoch ms: received, first byte out, last byte out or given up by the client. */
  at: number
  firstByteAt?: number
  endedAt?: number
  aborted?: boolean
  session: string
  /** The text that was answered: the operator's prompt, a subagent's, a task notification. */
  prompt: string
  /** What the client sent last: a prompt, or the results of the tools it ran. */
  results: string[]
  tools: number
  status: number
}

/**
 * Stands in for the model. Requests are told apart by the prompt that they answer, so one server
 * serves many sessions and their subagents at once.
 */
export type ModelServer = AsyncDisposable & {
  url: string
  /** The replies to requests whose prompt contains `text`, one after the other. */
  plan(text: string, ...replies: Reply[]): void
  log: Witnessed[]
  requestsFor(text: string): Witnessed[]
  waitForRequest(text: string, nth?: number): Promise<Witnessed>
}

type Plan = { text: string; replies: Reply[] }

export async function startModelServer(): Promise<ModelServer> {
  const plans: Plan[] = []
  const log: Witnessed[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      response.writeHead(404).end()
      return
    }
    const at = Date.now()
    const body = JSON.parse(await textOf(request)) as RequestBody
    const { prompt, results } = promptOf(body, (text) => plans.some((p) => text.includes(p.text)))
    const session = String(request.headers['x-claude-code-session-id'] ?? '')
    const tools = body.tools?.length ?? 0
    const seen: Witnessed = { at, session, prompt, results, tools, status: 200 }
    log.push(seen)
    response.on('close', () => {
      seen.endedAt = Date.now()
      if (!response.writableFinished) seen.aborted = true
    })
    const reply = nextReply(plans.findLast((plan) => prompt.includes(plan.text)))
    if (reply.kind === 'error') refuse(response, reply, seen)
    else await stream(response, withPlanFile(reply, body), seen)
  }

  await listen(server)
  const requestsFor = (text: string) => log.filter(({ prompt }) => prompt.includes(text))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (text, ...replies) => {
      plans.push({ text, replies })
    },
    log,
    requestsFor,
    waitForRequest: async (text, nth = 1) => {
      const [last] = await waitFor(() => requestsFor(text).slice(nth - 1), {
        what: `request ${nth} for "${text}" to reach the model`,
        until: (requests) => requests.length > 0,
      })
      return last!
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An error answers every try of the same request; anything else answers one request. */
function nextReply(plan: Plan | undefined): Reply {
  const [next] = plan?.replies ?? []
  if (!plan || !next) return say('Done.')
  if (next.kind === 'error' && next.times > 1) plan.replies[0] = { ...next, times: next.times - 1 }
  else plan.replies.shift()
  return next
}

type Message = Extract<Reply, { kind: 'message' }>

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

function refuse(
  response: ServerResponse,
  { status, message }: Extract<Reply, { kind: 'error' }>,
  seen: Witnessed,
): void {
  seen.status = status
  seen.firstByteAt = Date.now()
  const error = { type: ERROR_TYPES[status] ?? 'api_error', message }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ type: 'error', error }))
}

async function stream(
  response: ServerResponse,
  { blocks, hold, wordMs }: Message,
  seen: Witnessed,
): Promise<void> {
  if (hold?.where === 'before-first-byte') await wait(hold.gate)
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
      if (hold?.where === 'midway' && n === Math.ceil(deltas.length / 2)) await wait(hold.gate)
      if (wordMs) await new Promise((resolve) => setTimeout(resolve, wordMs))
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

async function wait(gate: { reach(): void; opened: Promise<void> }): Promise<void> {
  gate.reach()
  await gate.opened
}

let numbered = 0
function nextNumber(): string {
  numbered += 1
  return `${Date.now()}${String(numbered).padStart(4, '0')}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', reject)
  })
}
