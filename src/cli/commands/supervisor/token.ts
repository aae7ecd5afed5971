import type { TokenView } from '../../../contract/supervisor.ts'
import { paintFor } from '../../../text/paint.ts'
import { table } from '../../../text/table.ts'
import { createBridged } from '../../context/bridge-context.ts'
import { age, note, print, printJson } from '../../context/output.ts'

type TokenListOptions = { agent?: string; all?: boolean; json?: boolean }

/** Those that are good first; what was good within the last day, only where it is asked for. */
export async function listTokens(options: TokenListOptions): Promise<void> {
  const { bridge } = createBridged()
  const known = await bridge.tokens(options.agent)
  if (options.json) return printJson({ tokens: known })
  const good = known.filter(({ refusal }) => refusal === null)
  const others = known.filter(({ refusal }) => refusal !== null)
  const tokens = options.all ? [...good, ...others] : good
  if (tokens.length === 0) {
    const more = others.length > 0 ? ` ${others.length} were within the last day: --all` : ''
    return note(`No token is good now.${more}`)
  }
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
