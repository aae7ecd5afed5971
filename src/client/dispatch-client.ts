import type {
  DispatchBody,
  DispatchesView,
  DispatchLogsView,
  DispatchView,
} from '../contract/dispatch.ts'
import { TrailBossError } from '../core/errors.ts'
import type { DaemonClient } from './daemon-client.ts'

/** Includes opening or closing a pane. */
const LAUNCH_TIMEOUT_MS = 15_000

/** The routes of dispatches; see `DaemonClient` for what they throw. */
export type DispatchClient = {
  dispatches(): Promise<DispatchView[]>
  /** The latest one of that name. */
  dispatch(name: string): Promise<DispatchView>
  begin(dispatch: DispatchBody): Promise<DispatchView>
  logs(name: string, lines?: number): Promise<DispatchLogsView>
  stop(name: string, by?: string): Promise<DispatchView>
  /** Takes its last message as the result. */
  accept(name: string, by?: string): Promise<DispatchView>
}

export function dispatchClient(client: Pick<DaemonClient, 'get' | 'post'>): DispatchClient {
  const wait = { timeoutMs: LAUNCH_TIMEOUT_MS }
  const decide = (act: 'stop' | 'accept') => (name: string, by?: string) =>
    client.post<DispatchView>(`/dispatches/${act}`, { name, ...(by !== undefined && { by }) }, wait)
  return {
    dispatches: async () => (await client.get<DispatchesView>('/dispatches')).dispatches,
    dispatch: async (name) => {
      const [found] = (await client.get<DispatchesView>('/dispatches', { name })).dispatches
      if (found) return found
      throw new TrailBossError('NOT_FOUND', 'The daemon knows no dispatch by that name.')
    },
    begin: (dispatch) => client.post('/dispatches', dispatch, wait),
    logs: (name, lines) => client.get('/dispatches/logs', { name, lines }),
    stop: decide('stop'),
    accept: decide('accept'),
  }
}
