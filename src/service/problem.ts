import { HTTPException } from 'hono/http-exception'
import type { Problem } from '../contract/responses.ts'
import { catalogue, messageOf, TrailBossError } from '../core/errors.ts'

/** Every error sent over HTTP, as RFC 9457 problem details with our code. */
function problemOf(error: unknown): Problem {
  const known = asTrailBossError(error)
  return {
    type: `urn:trailboss:${known.code.toLowerCase().replaceAll('_', '-')}`,
    title: known.code,
    status: catalogue[known.code].status,
    code: known.code,
    detail: known.message,
    ...(known.hint && { hint: known.hint }),
  }
}

export function problemResponse(error: unknown): Response {
  const problem = problemOf(error)
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json' },
  })
}

function asTrailBossError(error: unknown): TrailBossError {
  if (error instanceof TrailBossError) return error
  if (error instanceof HTTPException && error.status === 413) {
    return new TrailBossError('TOO_LARGE', 'The body is larger than this route takes.')
  }
  if (error instanceof HTTPException && error.status < 500) {
    return new TrailBossError('BAD_REQUEST', error.message || 'The request is malformed.')
  }
  if (isStoreFailure(error)) {
    return new TrailBossError('NOT_STORED', `The event was not stored: ${messageOf(error)}`, {
      hint: 'Nothing was taken. See what is wrong (trailboss doctor), then do it again.',
    })
  }
  return new TrailBossError('INTERNAL', 'Something went wrong inside the daemon.', {
    hint: 'The log says more: trailboss logs',
  })
}

function isStoreFailure(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_SQLITE_ERROR'
}
