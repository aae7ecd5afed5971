import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '../../../support/wait-for.ts'
import { ANTHROPIC } from './anthropic-dialect.ts'
import type { ModelDialect, Witnessed } from './model-dialect.ts'
import { type Reply, say } from './reply.ts'

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

export async function startModelServer(dialect = ANTHROPIC): Promise<ModelServer> {
  const plans: Plan[] = []
  const log: Witnessed[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || !dialect.isRequest(request.url ?? '')) {
      response.writeHead(404).end()
      return
    }
    const at = Date.now()
    const body: unknown = JSON.parse(await textOf(request))
    const isPlanned = (text: string) => plans.some((plan) => text.includes(plan.text))
    const asked = dialect.read(body, request.headers, isPlanned)
    const { prompt } = asked
    const seen: Witnessed = { at, ...asked, status: 200 }
    const isAside = dialect.isAside?.(prompt) ?? false
    if (!isAside) log.push(seen)
    response.on('close', () => {
      seen.endedAt = Date.now()
      if (!response.writableFinished) seen.aborted = true
    })
    const plan = isAside ? undefined : plans.findLast(({ text }) => prompt.includes(text))
    const reply = nextReply(plan)
    if (reply.kind === 'error') refuse(response, reply, seen, dialect)
    else await dialect.stream(response, reply, seen, body)
  }

  // A connection that the server closes just when the client uses it again loses that request.
  server.keepAliveTimeout = 0
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
        timeoutMs: 60_000,
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

function refuse(
  response: ServerResponse,
  { status, message }: Extract<Reply, { kind: 'error' }>,
  seen: Witnessed,
  dialect: ModelDialect,
): void {
  seen.status = status
  seen.firstByteAt = Date.now()
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(dialect.problem(status, message)))
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
