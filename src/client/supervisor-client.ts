import type { StatsView } from '../contract/stats.ts'
import type {
  AuditView,
  RuntimesView,
  RuntimeView,
  TriggersView,
  TriggerView,
} from '../contract/supervisor.ts'
import type { TriggerBody } from '../contract/supervisor-requests.ts'
import type { AuditKind } from '../core/audit.ts'
import { TrailBossError } from '../core/errors.ts'
import type { DaemonClient } from './daemon-client.ts'

/** A pane is opened or closed meanwhile. */
const RUNTIME_TIMEOUT_MS = 15_000

export type RuntimeVerb = 'register' | 'start' | 'stop' | 'restart' | 'deregister'

export type TriggerQuery = { agent?: string; thread?: string; state?: string }

/** Which lines of the audit; `before` and `limit` page through them. */
export type AuditQuery = Partial<
  Record<'agent' | 'runtime' | 'thread' | 'trigger' | 'actor' | 'result', string>
> & {
  kinds?: AuditKind[]
  since?: number
  until?: number
  before?: number
  limit?: number
}

/** The supervisor's routes; see `DaemonClient` for what they throw. */
export type SupervisorClient = {
  runtimes(): Promise<RuntimeView[]>
  runtime(agent: string): Promise<RuntimeView>
  /** The runtime as it is after that. */
  change(verb: RuntimeVerb, agent: string, by?: string): Promise<RuntimeView>
  triggers(query?: TriggerQuery): Promise<TriggerView[]>
  trigger(id: string): Promise<TriggerView>
  send(trigger: TriggerBody): Promise<TriggerView>
  /** A new one with the same words, for one that failed. */
  retry(id: string, by?: string): Promise<TriggerView>
  /** It is not delivered any more; one that failed is acknowledged. */
  cancel(id: string, by?: string): Promise<TriggerView>
  audit(query?: AuditQuery): Promise<AuditView>
  stats(): Promise<StatsView>
}

export function supervisorClient(client: Pick<DaemonClient, 'get' | 'post'>): SupervisorClient {
  const wait = { timeoutMs: RUNTIME_TIMEOUT_MS }
  return {
    runtimes: async () => (await client.get<RuntimesView>('/runtimes')).runtimes,
    runtime: async (agent) => {
      const { runtimes } = await client.get<RuntimesView>('/runtimes', { agent })
      return only(runtimes)
    },
    change: (verb, agent, by) => client.post(`/runtimes/${verb}`, { agent, ...told(by) }, wait),
    triggers: async (query = {}) => (await client.get<TriggersView>('/triggers', query)).triggers,
    trigger: async (id) => only((await client.get<TriggersView>('/triggers', { id })).triggers),
    send: (trigger) => client.post('/triggers', trigger),
    retry: (id, by) => client.post('/triggers/retry', { id, ...told(by) }),
    cancel: (id, by) => client.post('/triggers/cancel', { id, ...told(by) }),
    audit: ({ kinds, ...query } = {}) =>
      client.get('/audit', { ...query, kind: kinds?.join(',') || undefined }),
    stats: () => client.get('/stats'),
  }
}

/** The first of a list: what was asked for by name is its only one. */
function only<View>(views: readonly View[]): View {
  const [view] = views
  if (view) return view
  throw new TrailBossError('NOT_FOUND', 'The daemon knows nothing by that name.')
}

function told(by: string | undefined): { by?: string } {
  return by === undefined ? {} : { by }
}
