import { BRIDGE_BODIES, type BridgeCall, type BridgeToolName } from '../../contract/bridge-tools.ts'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Log } from '../../service/log.ts'
import { checkedBody } from '../../service/request-body.ts'
import type { Bridge } from './bridge.ts'

/** One request over streamable HTTP. Nothing is remembered between requests. */
export async function answerMcp(
  bridge: Pick<Bridge, 'use'>,
  log: Log,
  token: RuntimeToken,
  request: Request,
): Promise<Response> {
  const [{ createMcpServer }, { WebStandardStreamableHTTPServerTransport: Transport }] =
    await Promise.all([
      import('../../contract/bridge-mcp.ts'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ])
  const server = createMcpServer((name, args) => {
    try {
      return useTool(bridge, token, name, args)
    } catch (error) {
      if (error instanceof TrailBossError) throw error
      log.error({ reason: messageOf(error), tool: name }, 'bridge tool failed')
      throw new TrailBossError('INTERNAL', 'Something went wrong inside the daemon.')
    }
  })
  const transport = new Transport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request)
  } finally {
    await server.close()
  }
}

/** The arguments are checked here, whichever way they came. */
export function useTool(
  bridge: Pick<Bridge, 'use'>,
  token: RuntimeToken,
  name: BridgeToolName,
  args: unknown,
): unknown {
  const body = checkedBody(BRIDGE_BODIES[name], args)
  return bridge.use(token, { name, body } as BridgeCall)
}
