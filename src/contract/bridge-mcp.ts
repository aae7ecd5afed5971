import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { messageOf, TrailBossError } from '../core/errors.ts'
import { version } from '../core/version.ts'
import {
  BRIDGE_INSTRUCTIONS,
  BRIDGE_TOOLS,
  type BridgeToolName,
  isBridgeTool,
} from './bridge-tools.ts'

/** Runs a tool, either here in the daemon or by a request to it. The agent reads the errors it throws. */
export type BridgeToolUse = (name: BridgeToolName, args: unknown) => unknown

/**
 * The bridge as an MCP server, for any transport. Load it only when needed: the SDK takes longer to load than
 * everything else in a command or the daemon.
 */
export function createMcpServer(use: BridgeToolUse): Server {
  const server = new Server(
    { name: 'trailboss', version },
    {
      capabilities: { tools: {} },
      instructions: BRIDGE_INSTRUCTIONS,
      jsonSchemaValidator: NOTHING_TO_VALIDATE,
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...BRIDGE_TOOLS] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name, arguments: args = {} } = params
    try {
      return answer(await use(requireTool(name), args))
    } catch (error) {
      return failure(error)
    }
  })
  return server
}

/** Validates what clients answer to questions of a server, and we ask none. The default validator is slow to create. */
const NOTHING_TO_VALIDATE = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'Nothing was asked for.',
  }),
}

function requireTool(name: string): BridgeToolName {
  if (isBridgeTool(name)) return name
  throw new TrailBossError('NOT_FOUND', `There is no tool "${name}".`, {
    hint: `There are: ${BRIDGE_TOOLS.map((tool) => tool.name).join(', ')}.`,
  })
}

function answer(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

/** An error of the tool, not of the protocol: the agent can read it and act on it. */
function failure(error: unknown): CallToolResult {
  const known = error instanceof TrailBossError ? error : undefined
  const text = known
    ? [`${known.code}: ${known.message}`, known.hint].filter(Boolean).join(' ')
    : `INTERNAL: ${messageOf(error)}`
  return { content: [{ type: 'text', text }], isError: true }
}
