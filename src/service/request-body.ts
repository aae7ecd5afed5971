import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import * as v from 'valibot'
import { issueText } from '../config/issue-text.ts'
import { messageOf, TrailBossError } from '../core/errors.ts'
import { BodyBudget } from './body-budget.ts'

/** Bodies up to `SMALL_BYTES` share one budget; a larger one has its own, and keeps no small one waiting. */
const SMALL_BYTES = 256 * 1024
const smallBodies = new BodyBudget(16 * SMALL_BYTES)
const largeBodies = new BodyBudget(1)

/** Bodies are outside V8's own heap, where about 64 MB of garbage would pile up. */
const COLLECT_AT_BYTES = 16 * 1024 * 1024
const garbage = { bytes: 0 }

/** A slower sender would keep others waiting for nothing. */
const SLOWEST_BYTES = 32 * 1024
const SLOWEST_MS = 1_000

/** `incoming` is absent if a request did not come over a connection. */
type Source = { incoming: IncomingMessage | undefined; most: number }
const sources = new WeakMap<Request, Source>()

/** Refuses a body that is larger than `most`, by its header or by its real size. */
export function boundedBody(most: number): MiddlewareHandler {
  return async (c, next) => {
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > most) throw tooLarge()
    garbage.bytes += declared
    if (garbage.bytes > COLLECT_AT_BYTES) collect()
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
    sources.set(c.req.raw, { incoming, most })
    await next()
  }
}

/** Parses the body of a request with a schema. Throws `BAD_REQUEST`, and names the field. */
export async function bodyOf<Schema extends v.GenericSchema>(
  schema: Schema,
  request: Request,
): Promise<v.InferOutput<Schema>> {
  return checkedBody(schema, await jsonOf(request))
}

export function checkedBody<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  if (Array.isArray(body)) throw new TrailBossError('BAD_REQUEST', 'The body must be an object.')
  const parsed = v.safeParse(schema, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new TrailBossError('BAD_REQUEST', issueText(issue, 'the body'))
}

export async function jsonOf(request: Request): Promise<unknown> {
  const { incoming, most } = sources.get(request) ?? { most: SMALL_BYTES }
  if (!incoming) return parsed(withinBytes(await request.text(), most))
  const bytes = Number(incoming.headers['content-length'] ?? most)
  const budget = bytes > SMALL_BYTES ? largeBodies : smallBodies
  using _share = await budget.take(bytes)
  if (budget === largeBodies) {
    // The previous body is only released after this.
    await setImmediate()
    collect()
  }
  return parsed(await textOf(incoming, most))
}

function collect(): void {
  garbage.bytes = 0
  globalThis.gc?.()
}

function withinBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) > most) throw tooLarge()
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TrailBossError('BAD_REQUEST', `The body is not valid JSON: ${messageOf(error)}`)
  }
}

async function textOf(incoming: IncomingMessage, most: number): Promise<string> {
  using _clock = giveUpIfSlow(incoming)
  // Allocated in its declared size, so that a large body is not also in memory in pieces.
  let body: Buffer = Buffer.allocUnsafeSlow(Number(incoming.headers['content-length'] ?? 0))
  let bytes = 0
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const { length } = chunk as Buffer
      if (bytes + length > most) throw tooLarge()
      if (bytes + length > body.length) body = grown(body, bytes + length)
      body.set(chunk as Buffer, bytes)
      freeNow(chunk as Buffer)
      bytes += length
    }
  } catch (error) {
    if (error instanceof TrailBossError) throw error
    throw new TrailBossError('BAD_REQUEST', `The body was cut off: ${messageOf(error)}`)
  }
  const text = withoutMark(body.toString('utf8', 0, bytes))
  freeNow(body)
  return text
}

/** Otherwise all of it stays in memory until V8 collects it, next to its text and the parsed value. */
function freeNow({ buffer, byteLength }: Buffer): void {
  const isAllOfIt = byteLength === buffer.byteLength
  if (isAllOfIt && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

function grown(body: Buffer, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * body.length))
  larger.set(body)
  return larger
}

/** Closes the connection: an emitter that gets no answer keeps its envelope. */
function giveUpIfSlow(incoming: IncomingMessage): Disposable {
  let before = incoming.socket.bytesRead
  const check = () => {
    const { bytesRead } = incoming.socket
    if (bytesRead - before < SLOWEST_BYTES && !incoming.complete) incoming.destroy()
    before = bytesRead
  }
  // After our own pause, what arrived in the meantime is read first.
  const timer = setInterval(() => void setImmediate().then(check), SLOWEST_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function tooLarge(): TrailBossError {
  return new TrailBossError('TOO_LARGE', 'The body is larger than this route takes.')
}
