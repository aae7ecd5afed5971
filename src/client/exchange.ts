import type { Agent as HttpAgent, IncomingMessage } from 'node:http'
import { DEADLINE_HEADER } from '../contract/deadline.ts'
import type { Problem } from '../contract/responses.ts'
import { catalogue, type ErrorCode, messageOf, TrailBossError } from '../core/errors.ts'

// An ESM import of node:http reads all its exports, and so loads undici for its WebSocket (Node 24), which takes as
// long as starting Node itself.
const { Agent, request } = process.getBuiltinModule('node:http')

export { Agent }

export type Wait = { timeoutMs: number; signal?: AbortSignal }

type Call = {
  socketPath: string
  path: string
  method: string
  agent: HttpAgent | false
  body?: unknown
  bearer?: string | undefined
}

type Answer = { status: number; contentType: string; body: string }

export class ConnectionLost extends TrailBossError {
  readonly reused: boolean

  constructor(message: string, reused: boolean, cause: unknown) {
    super('DAEMON_DOWN', message, { hint: START_HINT, cause })
    this.reused = reused
  }
}

const START_HINT = 'Start it with: trailboss up'

/** One request to the daemon, and the text of its answer; throws its own error, by its code, when it refuses. */
export async function exchange(call: Call, wait: Wait): Promise<string> {
  const answer = await send(call, wait)
  if (answer.status >= 200 && answer.status < 300) return answer.body
  throw refusal(call, answer)
}

function send(call: Call, { timeoutMs, signal }: Wait): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const isLimited = Number.isFinite(timeoutMs)
    const sent = request({
      socketPath: call.socketPath,
      path: call.path,
      method: call.method,
      agent: call.agent,
      headers: {
        host: 'localhost',
        accept: 'application/json, text/plain',
        ...(call.bearer !== undefined && { authorization: `Bearer ${call.bearer}` }),
        ...(call.method === 'POST' &&
          isLimited && { [DEADLINE_HEADER]: String(Date.now() + timeoutMs) }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    })

    const settle = (finish: () => void) => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', abort)
      finish()
    }
    const abandon = (reason: unknown) => {
      settle(() => reject(reason))
      sent.destroy()
    }
    const abort = () => abandon(signal?.reason)
    const tooLate = () => abandon(tooSlow(call.method, timeoutMs))
    const deadline = isLimited ? setTimeout(tooLate, timeoutMs) : undefined
    signal?.addEventListener('abort', abort)

    const lost = (cause: unknown) =>
      settle(() => reject(new ConnectionLost(lossOf(cause, call.method), sent.reusedSocket, cause)))
    sent.on('error', lost)
    sent.on('response', (response) => {
      read(response).then((text) => settle(() => resolve(text)), lost)
    })
    sent.end(body)
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8')
  let body = ''
  for await (const chunk of response) body += chunk
  const contentType = response.headers['content-type'] ?? ''
  return { status: response.statusCode ?? 0, contentType, body }
}

export function parsed<View>(body: string): View {
  try {
    return JSON.parse(body) as View
  } catch (cause) {
    throw new TrailBossError('INTERNAL', 'The daemon answered with something that is not JSON.', {
      hint: 'Restart it with: trailboss restart',
      cause,
    })
  }
}

function refusal(call: Call, answer: Answer): TrailBossError {
  const problem = answer.contentType.includes('json') ? problemOf(answer.body) : undefined
  const message =
    problem?.detail || `The daemon answered ${answer.status} to ${call.method} ${call.path}.`
  return new TrailBossError(codeOf(problem?.code), message, {
    ...(problem?.hint && { hint: problem.hint }),
  })
}

function problemOf(body: string): Partial<Problem> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function codeOf(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'INTERNAL'
}

const MAY_BE_DONE = 'It may have done it anyway: check before you try again.'

function tooSlow(method: string, timeoutMs: number): TrailBossError {
  return new TrailBossError(
    'DAEMON_HUNG',
    `The daemon is there, but did not answer within ${Number((timeoutMs / 1_000).toFixed(2))} s.`,
    {
      hint: `${method === 'POST' ? `${MAY_BE_DONE} ` : ''}If it goes on, restart it: trailboss restart`,
    },
  )
}

function lossOf(cause: unknown, method: string): string {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'The daemon is not running.'
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return `The daemon hung up before it answered.${method === 'POST' ? ` ${MAY_BE_DONE}` : ''}`
  }
  return `The daemon cannot be reached: ${messageOf(cause)}.`
}
