import type { Command } from 'commander'
import { useBridgeTool } from '../../../client/bridge-client.ts'
import { DaemonClient } from '../../../client/daemon-client.ts'
import { resolvePaths } from '../../../config/paths.ts'
import type { BridgeToolName, HeartbeatView } from '../../../contract/bridge-tools.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { running } from '../../context/run-command.ts'
import { BridgePulse } from './bridge-pulse.ts'
import { RUN_BY_US } from './help-group.ts'

export function addTo(program: Command): void {
  program
    .command('bridge')
    .description('the MCP server that connects a runtime to the bridge')
    .helpGroup(RUN_BY_US)
    .addHelpText('after', HELP)
    .action(running(() => bridge()))
}

const HELP = `
Runtimes start it themselves. It speaks MCP over stdin and stdout; the token in TRAILBOSS_BRIDGE_TOKEN identifies the runtime.`

/** The bridge for one runtime, over stdin and stdout, for as long as its harness keeps them open. */
async function bridge(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const token = requireToken(env)
  // The SDK takes longer to load than everything else together, and the help does not need it.
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const { createMcpServer } = await import('../../../contract/bridge-mcp.ts')
  using client = new DaemonClient(resolvePaths(env).socket)
  const use = <View>(name: BridgeToolName, args: object) =>
    useBridgeTool<View>(client, token, name, args)
  using pulse = new BridgePulse(() => use<HeartbeatView>('heartbeat_session', {}))
  const server = createMcpServer(async (name, args) => {
    try {
      return await use(name, args as object)
    } catch (error) {
      pulse.notice(error)
      throw forAgent(error)
    }
  })
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
    process.stdin.once('error', () => resolve())
  })
  await server.connect(new StdioServerTransport())
  void pulse.start()
  await ended
  await server.close()
}

function requireToken(env: NodeJS.ProcessEnv): string {
  const token = env['TRAILBOSS_BRIDGE_TOKEN'] ?? ''
  if (/^tbr_[\w-]{43}$/.test(token)) return token
  throw new TrailBossError(
    'UNAUTHORIZED',
    token === ''
      ? 'There is no token in TRAILBOSS_BRIDGE_TOKEN, so nobody knows whose bridge this is.'
      : 'TRAILBOSS_BRIDGE_TOKEN holds no token of the bridge.',
    {
      hint: 'An agent started with "trailboss runtime start" gets the bridge and its token automatically.',
    },
  )
}

/** An agent can neither start the daemon nor get a token, so it gets advice of its own. */
function forAgent(error: unknown): unknown {
  if (!(error instanceof TrailBossError)) return error
  const hint = FOR_AGENTS[error.code]
  return hint ? new TrailBossError(error.code, error.message, { hint, cause: error }) : error
}

const FOR_AGENTS: Partial<Record<TrailBossError['code'], string>> = {
  DAEMON_DOWN:
    'Nothing was read or posted. Go on with what you can do without it, and try again in a minute: the operator has to start Trail Boss.',
  DAEMON_HUNG:
    'It is not known whether it was done. Look with list_threads or read_messages before you do it again.',
  UNAUTHORIZED:
    'You have left the bridge for good. Tell the operator, who can restart this runtime, and do not try again.',
}
