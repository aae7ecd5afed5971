import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import * as v from 'valibot'
import { DaemonClient } from '../../../client/daemon-client.ts'
import { askOperator, newDecisionId } from '../../../client/decision-asker.ts'
import { denial, NOT_ANSWERED, permissionAnswer } from '../../../client/permission-answer.ts'
import { resolvePaths } from '../../../config/paths.ts'
import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { version } from '../../../core/version.ts'

/** What a harness sends to a tool that decides on permissions, as measured. */
const PermissionRequest = v.object({
  tool_name: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  input: v.optional(v.record(v.string(), v.unknown()), {}),
})

/** Longer than any input that the daemon takes, which then says so itself. */
const LONGEST_MESSAGE = 64 * 1024 * 1024

const TOOL = {
  name: 'decide',
  description: 'Asks the operator whether a tool may be used, and waits for the answer.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      tool_name: { type: 'string' },
      input: { type: 'object' },
      tool_use_id: { type: 'string' },
    },
    required: ['tool_name', 'input'],
  },
}

/** A harness without a terminal, connected to the queue over stdin and stdout, for as long as it keeps them open. */
export async function serveDecisions({ timeoutMs }: { timeoutMs?: number }): Promise<void> {
  using client = new DaemonClient(resolvePaths().socket)
  const asker = randomUUID()
  const server = new Server({ name: 'trailboss', version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const request = v.safeParse(PermissionRequest, params.arguments)
    const name = server.getClientVersion()?.name.trim() || 'an MCP client'
    const answer = request.success
      ? await decided({ client, name, asker, timeoutMs, signal }, request.output)
      : denial('Trail Boss did not understand what was asked, so nobody could allow it.')
    return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] }
  })
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(
    new StdioServerTransport(undefined, undefined, { maxBufferSize: LONGEST_MESSAGE }),
  )
  await ended
  // Whatever still waits is withdrawn with its connection.
  process.exit(0)
}

type Asking = {
  client: DaemonClient
  name: string
  asker: string
  timeoutMs: number | undefined
  signal: AbortSignal
}

async function decided(
  { client, name, asker, timeoutMs, signal }: Asking,
  { tool_name: tool, input }: v.InferOutput<typeof PermissionRequest>,
): Promise<object> {
  try {
    const outcome = await askOperator(
      client,
      {
        v: 1,
        id: newDecisionId(),
        asker: { name: name.slice(0, 200), id: asker, cwd: process.cwd() },
        tool,
        input,
        ...(timeoutMs !== undefined && { deadline: Date.now() + timeoutMs }),
      },
      signal,
    )
    return permissionAnswer(outcome, input) ?? denial(NOT_ANSWERED)
  } catch (error) {
    const hint = error instanceof TrailBossError && error.hint ? ` ${error.hint}` : ''
    return denial(`Nobody could be asked: ${messageOf(error)}${hint}`)
  }
}
