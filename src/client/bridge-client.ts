import type { BridgeToolName, PostView } from '../contract/bridge-tools.ts'
import type {
  MessagesView,
  MessageView,
  ThreadsView,
  ThreadView,
  TokensView,
  TokenView,
} from '../contract/supervisor.ts'
import type { OperatorMessageBody, ThreadBody } from '../contract/supervisor-requests.ts'
import type { DaemonClient } from './daemon-client.ts'

type ThreadQuery = { workspace?: string; state?: string }

/** Threads, messages and tokens, for the operator; see `DaemonClient` for what they throw. */
export type BridgeClient = {
  threads(query?: ThreadQuery): Promise<ThreadView[]>
  thread(id: string): Promise<ThreadView>
  open(thread: ThreadBody): Promise<ThreadView>
  unblock(id: string, by: string): Promise<ThreadView>
  close(id: string, by: string): Promise<ThreadView>
  /** The `last` ones, oldest first. */
  messages(thread: string, last: number): Promise<MessageView[]>
  post(message: OperatorMessageBody): Promise<PostView>
  tokens(agent?: string): Promise<TokenView[]>
  revoke(id: string, by: string): Promise<TokenView>
}

export function bridgeClient(client: Pick<DaemonClient, 'get' | 'post'>): BridgeClient {
  return {
    threads: async (query = {}) => (await client.get<ThreadsView>('/threads', query)).threads,
    thread: (id) => client.get('/threads', { id }),
    open: (thread) => client.post('/threads', thread),
    unblock: (id, by) => client.post('/threads/unblock', { id, by }),
    close: (id, by) => client.post('/threads/close', { id, by }),
    messages: async (thread, last) =>
      (await client.get<MessagesView>('/messages', { thread, last })).messages,
    post: (message) => client.post('/messages', message),
    tokens: async (agent) => (await client.get<TokensView>('/tokens', { agent })).tokens,
    revoke: (id, by) => client.post('/tokens/revoke', { id, by }),
  }
}

/** Uses one of the bridge's tools as the agent that owns the token. */
export function useBridgeTool<View>(
  client: Pick<DaemonClient, 'post'>,
  token: string,
  name: BridgeToolName,
  args: object,
): Promise<View> {
  return client.post(`/bridge/${name}`, args, { bearer: token })
}
