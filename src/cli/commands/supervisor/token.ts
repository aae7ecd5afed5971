import type { Command } from 'commander'
import type { TokenView } from '../../../contract/supervisor.ts'
import { ageText, remainingText } from '../../../text/duration.ts'
import type { Reader } from '../../../text/reader.ts'
import { table } from '../../../text/table.ts'
import { note, printFor, printJson, printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { RUN_BY_US } from './help-group.ts'
import { createBridged } from './supervisor-context.ts'

type TokenListOptions = { agent?: string; all?: boolean; json?: boolean }

export function addTo(program: Command): void {
  const token = program
    .command('token')
    .description('list the tokens of the bridge, and revoke them')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
  addCommand(token, 'list', 'print the tokens of runtimes, without their secrets', listTokens)
    .option('--agent <name>', 'only of this agent: <workspace>/<role>')
    .option('--all', 'include tokens that are no longer valid')
  addCommand(
    token,
    'revoke <id>',
    'revoke a token: its runtime is off the bridge until it is restarted',
    revokeToken,
  )
}

/** Valid tokens first; those that were valid within the last day only with `--all`. */
async function listTokens(options: TokenListOptions): Promise<void> {
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
  await printFor((reader) => tokenTable(tokens, reader))
}

async function revokeToken(id: string, options: { json?: boolean }): Promise<void> {
  const { bridge, by } = createBridged()
  await printView(await bridge.revoke(id, by), options, ({ id, agent }) => {
    return `${id} is revoked: ${agent} is off the bridge until its runtime is restarted.`
  })
}

function tokenTable(tokens: readonly TokenView[], reader: Reader): string {
  const { now } = reader
  return table(tokens, reader, [
    ['TOKEN', ({ id }) => id],
    ['AGENT', ({ agent }) => agent],
    [
      'STATE',
      ({ refusal }) => refusal ?? 'good',
      { tone: ({ refusal }) => (refusal === null ? 'good' : 'quiet') },
    ],
    ['ISSUED', ({ issuedAt }) => `${ageText(issuedAt, now)} ago`],
    ['RUNTIME', ({ runtimeId }) => runtimeId],
    ['NOTE', (token) => token.revokedWhy ?? validity(token, now)],
  ])
}

function validity({ refusal, expiresAt }: TokenView, now: number): string {
  return refusal === null ? `for another ${remainingText(expiresAt, now)} unless renewed` : ''
}
