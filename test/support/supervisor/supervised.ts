import type { DispatchesView, DispatchView } from '../../../src/contract/dispatch.ts'
import type {
  RuntimesView,
  RuntimeView,
  TriggersView,
  TriggerView,
} from '../../../src/contract/supervisor.ts'
import type { World } from '../create-world.ts'
import { waitFor } from '../wait-for.ts'

/** What an operator does with the agents of one workspace, over HTTP. */
export type Supervised = {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  /** Resolves once its conversation is known, or at least once it is ready. */
  start(role: string, until?: 'ready' | 'in-session'): Promise<RuntimeView>
  runtime(role: string): Promise<RuntimeView>
  waitForRuntime(
    role: string,
    what: string,
    until: (one: RuntimeView) => boolean,
  ): Promise<RuntimeView>
  trigger(role: string, text: string, more?: Record<string, unknown>): Promise<TriggerView>
  triggerOf(id: string): Promise<TriggerView>
  settled(id: string): Promise<TriggerView>
  /** Waits until the dispatch is in one of these states. */
  dispatchIn(name: string, ...states: DispatchView['state'][]): Promise<DispatchView>
}

export function supervised(
  world: Pick<World, 'http'>,
  workspace: string,
  { patientMs = 30_000 } = {},
): Supervised {
  const answered = async <T>(path: string, request?: Parameters<World['http']>[1]): Promise<T> => {
    const { status, text } = await world.http(path, request)
    if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`)
    return JSON.parse(text) as T
  }
  const one = <T>(all: T[]): T => {
    const [first] = all
    if (first === undefined) throw new Error('there is none')
    return first
  }
  const agent = (role: string) => `${workspace}/${role}`

  const operator: Supervised = {
    get: (path) => answered(path),
    post: (path, body) => answered(path, { method: 'POST', body }),
    start: async (role, until = 'in-session') => {
      await operator.post('/runtimes/start', { agent: agent(role) })
      return operator.waitForRuntime(
        role,
        until,
        ({ status, session }) => status === 'ready' && (until === 'ready' || session !== null),
      )
    },
    runtime: async (role) =>
      one((await answered<RuntimesView>(`/runtimes?agent=${agent(role)}`)).runtimes),
    waitForRuntime: (role, what, until) =>
      waitFor(() => operator.runtime(role), {
        what: `${role} to be ${what}`,
        until,
        timeoutMs: patientMs,
      }),
    trigger: (role, text, more = {}) =>
      operator.post('/triggers', { agent: agent(role), reason: 'test', text, ...more }),
    triggerOf: async (id) => one((await answered<TriggersView>(`/triggers?id=${id}`)).triggers),
    settled: (id) =>
      waitFor(() => operator.triggerOf(id), {
        what: `trigger ${id} to have ended`,
        until: ({ settledAt }) => settledAt !== null,
        timeoutMs: 2 * patientMs,
      }),
    dispatchIn: (name, ...states) =>
      waitFor(
        async () => one((await answered<DispatchesView>(`/dispatches?name=${name}`)).dispatches),
        {
          what: `dispatch ${name} to be ${states.join(' or ')}`,
          until: ({ state }) => states.includes(state),
          timeoutMs: patientMs,
        },
      ),
  }
  return operator
}
