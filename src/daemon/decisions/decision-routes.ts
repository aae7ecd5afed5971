import { Hono } from 'hono'
import { AnswerBody, DecisionBody, type DecisionsView } from '../../contract/decision.ts'
import { isDeeperThan, MAX_DEPTH } from '../../contract/limits.ts'
import { TrailBossError } from '../../core/errors.ts'
import { checkedBody, jsonOf } from '../../service/request-body.ts'
import type { Decisions } from './decisions.ts'

/** The protocol of decisions, version 1. */
export function decisionRoutes(decisions: Decisions): Hono {
  const routes = new Hono()
  routes.post('/v1/decisions', async (c) => {
    const body = checkedBody(DecisionBody, await jsonOf(c.req.raw))
    requireSense(body)
    return c.json(await decisions.ask(body, c.req.raw.signal))
  })
  routes.get('/v1/decisions', (c) =>
    c.json({ decisions: decisions.list() } satisfies DecisionsView),
  )
  routes.get('/v1/decisions/:id', (c) => c.json(decisions.view(c.req.param('id'))))
  routes.post('/v1/decisions/:id/answer', async (c) => {
    const body = checkedBody(AnswerBody, await jsonOf(c.req.raw))
    requireShallow(body.input)
    return c.json(decisions.answer(c.req.param('id'), body))
  })
  routes.post('/v1/decisions/:id/taken', (c) => {
    decisions.taken(c.req.param('id'))
    return c.json({}, 202)
  })
  return routes
}

function requireSense({ tool, question, options = [], input }: DecisionBody): void {
  const problem =
    tool === undefined && question === undefined
      ? 'It has neither a tool nor a question.'
      : tool !== undefined && options.length > 0
        ? 'A tool is allowed or denied: it has no options.'
        : tool === undefined && input !== undefined
          ? 'Only a tool has an input.'
          : new Set(options).size < options.length
            ? 'Two of its options are the same.'
            : undefined
  if (problem) throw new TrailBossError('BAD_REQUEST', problem)
  requireShallow(input)
}

function requireShallow(input: unknown): void {
  if (!isDeeperThan(input, MAX_DEPTH)) return
  const problem = `input: it nests deeper than ${MAX_DEPTH} levels`
  throw new TrailBossError('BAD_REQUEST', problem)
}
