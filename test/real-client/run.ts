/**
 * `npm run test:real [-- --client <version>] [vitest's own arguments]`: the tests against the real
 * Claude Code. Where it cannot be had, they are skipped, and that is said. With `--record [name …]`
 * no test is run: the fixtures of that version are written.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fetchClient } from './support/client.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values, tokens } = parseArgs({
  options: { client: { type: 'string' }, record: { type: 'boolean' } },
  strict: false,
  tokens: true,
})
const own = new Set(['client', 'record'])
const rest = tokens.flatMap((token) => {
  if (token.kind === 'positional') return [token.value]
  if (token.kind !== 'option' || own.has(token.name)) return []
  return token.value === undefined ? [token.rawName] : [`${token.rawName}=${token.value}`]
})
if (typeof values.client === 'string') process.env['CLAUDE_CODE_VERSION'] = values.client

try {
  const fetched = await fetchClient()
  if ('unavailable' in fetched) {
    console.log(`SKIPPED: the real-client tests did not run. ${fetched.unavailable}`)
  } else if (values.record) {
    const { record } = await import('./record/record.ts')
    await record(fetched.client.version, rest)
  } else {
    process.exitCode = runVitest(rest)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function runVitest(args: string[]): number {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const run = [vitest, 'run', '--config', 'vitest.real.config.ts', ...args]
  return spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' }).status ?? 1
}
