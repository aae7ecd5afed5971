import type { StatsView } from '../contract/stats.ts'
import type {
  AuditView,
  RuntimeLogsView,
  RuntimesView,
  RuntimeView,
  TriggersView,
  TriggerView,
} from '../contract/supervisor.ts'
import type { TriggerBody } from '../contract/supervisor-requests.ts'
import type { AuditKind } from '../core/audit.ts'
import { TrailBossError } from '../core/errors.ts'
import type { DaemonClient } from './daemon-client.ts'

/** Includes opening or closing a pane. */
const RUNTIME_TIMEOUT_MS = 15_000

export type RuntimeVerb = 'register' | 'start' | 'stop' | 'restart' | 'deregister'

export type TriggerQuery = { agent?: string; thread?: string; state?: string }

/** Selects lines of the audit; `before` and `limit` page through them. */
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
  /** The end of what its pane shows, or of what its last process left there. */
  logs(agent: string, lines: number): Promise<RuntimeLogsView>
  /** Resolves to the runtime after the change. */
  change(verb: RuntimeVerb, agent: string, by?: string): Promise<RuntimeView>
  triggers(query?: TriggerQuery): Promise<TriggerView[]>
  trigger(id: string): Promise<TriggerView>
  send(trigger: TriggerBody): Promise<TriggerView>
  /** Creates a new trigger with the same text for one that failed. */
  retry(id: string, by?: string): Promise<TriggerView>
  /** Stops its delivery; a failed one counts as acknowledged. */
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
    logs: (agent, lines) => client.get('/runtimes/logs', { agent, lines }),
    change: (verb, agent, by) => client.post(`/runtimes/${verb}`, { agent, ...actor(by) }, wait),
    triggers: async (query = {}) => (await client.get<TriggersView>('/triggers', query)).triggers,
    trigger: async (id) => only((await client.get<TriggersView>('/triggers', { id })).triggers),
    send: (trigger) => client.post('/triggers', trigger),
    retry: (id, by) => client.post('/triggers/retry', { id, ...actor(by) }),
    cancel: (id, by) => client.post('/triggers/cancel', { id, ...actor(by) }),
    audit: ({ kinds, ...query } = {}) =>
      client.get('/audit', { ...query, kind: kinds?.join(',') || undefined }),
    stats: () => client.get('/stats'),
  }
}

/** The first of a list: what was requested by name is the only one. */
function only<View>(views: readonly View[]): View {
  const [view] = views
  if (view) return view
  throw new TrailBossError('NOT_FOUND', 'The daemon knows nothing by that name.')
}

function actor(by: string | undefined): { by?: string } {
  return by === undefined ? {} : { by }
}
