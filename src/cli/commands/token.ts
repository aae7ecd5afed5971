import type { TokenView } from '../../contract/supervisor.ts'
import { createBridged } from '../bridged.ts'
import { age, note, print, printJson } from '../output.ts'
import { paintFor } from '../paint.ts'
import { table } from '../table.ts'

export async function listTokens(options: { agent?: string; json?: boolean }): Promise<void> {
  const { bridge } = createBridged()
  const tokens = await bridge.tokens(options.agent)
  if (options.json) return printJson({ tokens })
  if (tokens.length === 0) return note('No token was issued within the last day.')
  const paint = paintFor()
  const header = ['TOKEN', 'AGENT', 'STATE', 'ISSUED', 'RUNTIME', 'NOTE']
  const text = table([header, ...tokens.map(row)], undefined, (cell, at, column) => {
    const token = tokens[at - 1]
    if (!token) return paint('heading', cell)
    return column === 2 ? paint(token.refusal === null ? 'good' : 'quiet', cell) : cell
  })
  print(text)
}

export async function revokeToken(id: string, options: { json?: boolean }): Promise<void> {
  const { bridge, by } = createBridged()
  const token = await bridge.revoke(id, by)
  if (options.json) return printJson(token)
  print(`${token.id} is revoked: ${token.agent} is off the bridge until its runtime is restarted.`)
}

function row(token: TokenView): string[] {
  const seconds = Math.max(0, Math.round((token.expiresAt - Date.now()) / 1_000))
  return [
    token.id,
    token.agent,
    token.refusal ?? 'good',
    `${age(token.issuedAt)} ago`,
    token.runtimeId,
    token.revokedWhy ?? (token.refusal === null ? `for another ${seconds}s unless renewed` : ''),
  ]
}
