import { timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { DEADLINE_HEADER } from '../../contract/deadline.ts'
import { TrailBossError } from '../../core/errors.ts'

export type Tokens = { full: string; ingest: string }

/** Whoever may report may ask, but not answer. */
const INGEST_ROUTES = /^POST \/(?:event|v1\/events|v1\/decisions(?:\/[\w-]+\/taken)?)$/

/** What types into a pane is only for whoever can reach the operator's own socket. */
const UNIX_ONLY = new Set(['/reply'])

/** The agents' routes. Only a runtime token identifies an agent. */
const BRIDGE_ROUTES = /^\/(?:mcp$|bridge\/)/
const RUNTIME_TOKEN = /^Bearer tbr_[\w-]{43}$/

/**
 * What a request over TCP must have: our exact Host (a rebound name is refused), no Origin but our own, no
 * cross-site fetch, and a token. The ingest token can only append; a runtime token only reaches the bridge,
 * which checks it.
 */
export function tcpGuard(port: number, tokens: Tokens): MiddlewareHandler {
  const hosts = hostsOf(port)
  const origins = new Set([...hosts].map((host) => `http://${host}`))
  return async (c, next) => {
    const host = c.req.header('host')
    if (!host || !hosts.has(host)) {
      throw new TrailBossError('MISDIRECTED', 'The Host header does not name this daemon.')
    }
    const origin = c.req.header('origin')
    if (origin !== undefined && !origins.has(origin)) {
      throw new TrailBossError('FORBIDDEN_ORIGIN', 'Requests from other origins are refused.')
    }
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new TrailBossError('FORBIDDEN_ORIGIN', 'Cross-site requests are refused.')
    }
    const authorization = c.req.header('authorization') ?? ''
    if (BRIDGE_ROUTES.test(c.req.path)) {
      if (!RUNTIME_TOKEN.test(authorization)) throw needsRuntimeToken()
      return await next()
    }
    if (UNIX_ONLY.has(c.req.path)) {
      throw new TrailBossError('UNAUTHORIZED', `${c.req.path} is not served over TCP.`, {
        hint: 'Use the unix socket, or: trailboss reply',
      })
    }
    const token = /^Bearer ([0-9a-f]{64})$/.exec(authorization)?.[1] ?? ''
    const isIngest = INGEST_ROUTES.test(`${c.req.method} ${c.req.path}`)
    if (!isSame(token, tokens.full) && !(isIngest && isSame(token, tokens.ingest))) {
      throw new TrailBossError('UNAUTHORIZED', 'A bearer token is needed on TCP.', {
        hint: 'Use the token file in the Trail Boss home, or the unix socket.',
      })
    }
    await next()
  }
}

/**
 * A target that names a server (`GET http://host/path`) must name this one: it outweighs the Host header, and
 * whoever sends a foreign one takes us for a proxy.
 */
export function ownTargetOnly(hosts: ReadonlySet<string>): MiddlewareHandler {
  return async (c, next) => {
    const { incoming } = (c.env ?? {}) as { incoming?: { url?: string } }
    const target = incoming?.url ?? '/'
    const authority = /^http:\/\/([^/?#]*)/i.exec(target)?.[1]?.toLowerCase()
    if (!target.startsWith('/') && (authority === undefined || !hosts.has(authority))) {
      throw new TrailBossError('MISDIRECTED', 'The request target does not name this daemon.')
    }
    await next()
  }
}

/** The names by which a client of the port knows us. */
export function hostsOf(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`])
}

/** A client that gave up has already reported that to the operator, so its request must not run later. */
export const inTimeOnly: MiddlewareHandler = async (c, next) => {
  const deadline = Number(c.req.header(DEADLINE_HEADER) ?? Number.NaN)
  if (Date.now() > deadline) {
    throw new TrailBossError('TOO_LATE', 'Nobody waits for the answer any more: nothing was done.')
  }
  await next()
}

/** A form can be posted across sites without a preflight, JSON cannot. */
export const jsonOnly: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'POST') {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json') {
      throw new TrailBossError('UNSUPPORTED_TYPE', 'Bodies must be application/json.')
    }
  }
  await next()
}

function needsRuntimeToken(): TrailBossError {
  return new TrailBossError('UNAUTHORIZED', 'The bridge takes the token of a runtime alone.', {
    hint: 'A runtime is given it when it is started, in TRAILBOSS_BRIDGE_TOKEN.',
  })
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
