import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RuntimeView } from '../../../src/contract/supervisor.ts'

/** An agent's end of the bridge, through the SDK's own client. */
export type MountedBridge = AsyncDisposable & {
  client: Client
  /** The answer of a tool; throws its text if it is an error. */
  call<T>(name: string, args?: Record<string, unknown>): Promise<T>
}

type Mount = { command: string; args: string[]; env: Record<string, string> }

/** As the harness of this runtime would mount it: from its argv and its environment. */
export function mountBridge(runtime: RuntimeView): Promise<MountedBridge> {
  const { command, args, env } = mountOf(runtime)
  return connected(new StdioClientTransport({ command, args, env, stderr: 'inherit' }))
}

export function mountBridgeOverHttp(port: number, token: string): Promise<MountedBridge> {
  const headers = { authorization: `Bearer ${token}` }
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  return connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
}

/** The token of a runtime. */
export function tokenOf({ pane }: RuntimeView): string {
  return environmentOf(pane?.pid)['TRAILBOSS_BRIDGE_TOKEN'] ?? ''
}

async function connected(transport: Transport): Promise<MountedBridge> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    client,
    async call<T>(name: string, args: Record<string, unknown> = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const text = (content as { text: string }[])[0]?.text ?? ''
      if (isError) throw new Error(text)
      return JSON.parse(text) as T
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function mountOf({ pane }: RuntimeView): Mount {
  const argv = readFileSync(`/proc/${pane?.pid}/cmdline`, 'utf8').split('\0')
  const config = argv.find((word) => word.startsWith('--mcp-config='))
  if (config === undefined) throw new Error(`no bridge is mounted: ${argv.join(' ')}`)
  const { mcpServers } = JSON.parse(config.slice('--mcp-config='.length)) as {
    mcpServers: { trailboss: Mount }
  }
  const { command, args, env } = mcpServers.trailboss
  const given = environmentOf(pane?.pid)
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+)\}/g, (_, variable: string) => given[variable] ?? ''),
  ])
  // Nothing else in the harness's environment is certain to be passed on.
  return { command, args, env: { PATH: given['PATH'] ?? '', ...Object.fromEntries(filled) } }
}

function environmentOf(pid: number | undefined): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}
