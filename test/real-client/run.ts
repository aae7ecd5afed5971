/**
 * `npm run test:real [-- <harness>] [--client <version>] [vitest's own arguments]`: the tests against the
 * real Claude Code, or the harness named. Where it cannot be had, they are skipped, and that is said.
 * With `--record [name …]` no test is run: the fixtures of that version are written.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CLAUDE_CODE, fetchClient, REAL_PROGRAMS, type RealProgram } from './support/client.ts'

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
const program = REAL_PROGRAMS.find(({ harness }) => harness === rest[0]) ?? CLAUDE_CODE
if (program.harness === rest[0]) rest.shift()
if (typeof values.client === 'string') process.env[program.variable] = values.client

try {
  const fetched = await fetchClient(program)
  if ('unavailable' in fetched) {
    console.log(`SKIPPED: the real-client tests did not run. ${fetched.unavailable}`)
  } else if (values.record) {
    const recorder = program === CLAUDE_CODE ? './record' : `./${program.harness}`
    const { record } = (await import(`${recorder}/record.ts`)) as RecorderModule
    await record(fetched.client.version, rest)
  } else {
    process.exitCode = runVitest([...allBut(program), ...rest])
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

type RecorderModule = { record(version: string, names: string[]): Promise<void> }

/** Each harness has a directory, but for Claude Code, whose tests are beside them. */
function allBut({ harness }: RealProgram): string[] {
  const others = REAL_PROGRAMS.filter((other) => other.harness !== harness)
  return others.map((other) =>
    other === CLAUDE_CODE
      ? '--exclude=test/real-client/*.test.ts'
      : `--exclude=test/real-client/${other.harness}/**`,
  )
}

function runVitest(args: string[]): number {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const run = [vitest, 'run', '--config', 'vitest.real.config.ts', ...args]
  return spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' }).status ?? 1
}
