import { Hono } from 'hono'
import * as v from 'valibot'
import type { RuntimeLogsView, RuntimesView, TriggersView } from '../contract/supervisor.ts'
import { AgentBody, DecisionOnBody, TriggerBody } from '../contract/supervisor-requests.ts'
import { TrailBossError } from '../core/errors.ts'
import type { Runtime } from '../core/supervisor/runtime/runtime.ts'
import { isSettled, TRIGGER_STATES, type Trigger } from '../core/supervisor/trigger/trigger.ts'
import { displayLine, truncate } from '../core/text.ts'
import { bodyOf } from '../service/request-body.ts'
import { audit, operatorNamed } from './context/context.ts'
import type { Supervisor } from './supervisor.ts'

/** Runtimes and triggers, for the operator. `supervisor` is called with each request, and throws if there is none. */
export function supervisorRoutes(supervisor: () => Supervisor): Hono {
  const routes = new Hono()

  routes.get('/runtimes', (c) => {
    const { registry, runtimes } = supervisor()
    const name = c.req.query('agent')
    const shown =
      name === undefined
        ? runtimes.views()
        : [runtimes.view(registry.requireAgent(supervisor().agentNamed(name)))]
    return c.json({ runtimes: shown } satisfies RuntimesView)
  })
  for (const [act, { status, carryOut }] of Object.entries(ACTS)) {
    routes.post(`/runtimes/${act}`, async (c) => {
      const { runtimes, context } = supervisor()
      const { agent: name, by } = await bodyOf(AgentBody, c.req.raw)
      const agent = supervisor().agentNamed(name)
      const actor = operatorNamed(by)
      try {
        return c.json(runtimes.view(await carryOut(supervisor(), agent, actor)), status)
      } catch (error) {
        const result = error instanceof TrailBossError ? error.code : 'INTERNAL'
        const agentId = truncate(displayLine(agent), 80)
        audit(context, { kind: 'runtime_refused', actor, agentId, detail: act, result })
        throw error
      }
    })
  }

  routes.get('/runtimes/logs', async (c) => {
    const { registry, screens } = supervisor()
    const { agent = '', lines } = c.req.query()
    const runtime = registry.requireAgent(supervisor().agentNamed(agent))
    return c.json((await screens.view(runtime, linesOf(lines))) satisfies RuntimeLogsView)
  })

  routes.get('/triggers', (c) => {
    const { triggers } = supervisor()
    const { id, agent, thread, state } = c.req.query()
    const found =
      id === undefined
        ? triggers
            .list({
              ...(agent !== undefined && { agentId: supervisor().agentNamed(agent) }),
              ...(thread !== undefined && { threadId: thread }),
            })
            .filter(isIn(state))
        : [triggers.require(id)]
    return c.json({ triggers: found.map(triggers.view) } satisfies TriggersView)
  })
  routes.post('/triggers', async (c) => {
    const { triggers } = supervisor()
    const { agent, thread, reason, text, force, by } = await bodyOf(TriggerBody, c.req.raw)
    const trigger = triggers.create({
      agentId: supervisor().agentNamed(agent),
      threadId: thread,
      reason,
      text,
      force: force && { ...force, by: operatorNamed(force.by) },
      by: operatorNamed(force?.by ?? by),
    })
    return c.json(triggers.view(trigger), 202)
  })
  for (const act of ['retry', 'cancel'] as const) {
    routes.post(`/triggers/${act}`, async (c) => {
      const { triggers } = supervisor()
      const { id, by } = await bodyOf(DecisionOnBody, c.req.raw)
      return c.json(triggers.view(triggers[act](id, operatorNamed(by))), 202)
    })
  }
  return routes
}

/** What can be done with a runtime. Some requests return before it is done. */
const ACTS: Record<string, RuntimeRequest> = {
  register: {
    status: 201,
    carryOut: ({ runtimes, context }, agent, by) =>
      runtimes.register(context.workspaces.plan(agent), by),
  },
  start: { status: 202, carryOut: ({ runtimes }, agent, by) => runtimes.start(agent, by) },
  stop: { status: 202, carryOut: ({ runtimes }, agent, by) => runtimes.stop(agent, by) },
  restart: { status: 202, carryOut: ({ runtimes }, agent, by) => runtimes.restart(agent, by) },
  deregister: {
    status: 200,
    carryOut: ({ runtimes }, agent, by) => runtimes.deregister(agent, by),
  },
}

type RuntimeRequest = {
  status: 200 | 201 | 202
  carryOut(supervisor: Supervisor, agentId: string, by: string): Runtime | Promise<Runtime>
}

const MOST_LINES = 500
const USUAL_LINES = 60

function linesOf(text: string | undefined): number {
  const lines = Number(text ?? USUAL_LINES)
  if (Number.isSafeInteger(lines) && lines >= 1 && lines <= MOST_LINES) return lines
  throw new TrailBossError('BAD_REQUEST', `lines: a whole number from 1 to ${MOST_LINES}.`)
}

const State = v.picklist([...TRIGGER_STATES, 'open'])

function isIn(state: string | undefined): (trigger: Trigger) => boolean {
  if (state === undefined) return () => true
  if (!v.is(State, state)) {
    throw new TrailBossError('BAD_REQUEST', `There is no state "${state.slice(0, 40)}".`, {
      hint: `There are: open, ${TRIGGER_STATES.join(', ')}.`,
    })
  }
  return state === 'open' ? (trigger) => !isSettled(trigger) : (trigger) => trigger.state === state
}
