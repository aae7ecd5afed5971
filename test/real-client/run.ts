/**
 * `npm run test:real [-- <harness> …] [--client <version>] [vitest's own arguments]`: the tests against the
 * real programs, or against those named. What cannot be had is skipped, and that is said. With
 * `--record [name …]` no test is run: the fixtures of one harness are written, of Claude Code if none
 * is named.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setup as build } from '../support/build.ts'
import {
  CLAUDE_CODE,
  CODEX,
  fetchClient,
  GEMINI,
  OPENCODE,
  REAL_PROGRAMS,
  type RealProgram,
  wantedVersion,
} from './support/client.ts'

/** Those of `mixed`. */
const HERD = [CLAUDE_CODE, CODEX, OPENCODE, GEMINI]
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
const named = REAL_PROGRAMS.filter(({ harness }) => rest.includes(harness))
for (const { harness } of named) rest.splice(rest.indexOf(harness), 1)
const isOne = values.record || values.client
const wanted = named.length > 0 ? named : isOne ? [CLAUDE_CODE] : REAL_PROGRAMS
if (typeof values.client === 'string') process.env[wanted[0]!.variable] = values.client

try {
  const fetched = await fetchAll(wanted)
  const [program] = fetched
  if (program && values.record) {
    build()
    const recorder = program === CLAUDE_CODE ? './record' : `./${program.harness}`
    const { record } = (await import(`${recorder}/record.ts`)) as RecorderModule
    await record(wantedVersion(program), rest)
  } else if (program) {
    process.exitCode = runVitest([...allBut(fetched), ...rest])
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function fetchAll(programs: RealProgram[]): Promise<RealProgram[]> {
  const fetched: RealProgram[] = []
  for (const program of programs) {
    const found = await fetchClient(program)
    if ('client' in found) fetched.push(program)
    else console.log(`SKIPPED: the tests with the real ${program.title}. ${found.unavailable}`)
  }
  return fetched
}

type RecorderModule = { record(version: string, names: string[]): Promise<void> }

/** Each harness has a directory, but for Claude Code, whose tests are beside them. */
function allBut(programs: RealProgram[]): string[] {
  const others = REAL_PROGRAMS.filter((other) => !programs.includes(other))
  const without = others.map((other) =>
    other === CLAUDE_CODE
      ? '--exclude=test/real-client/*.test.ts'
      : `--exclude=test/real-client/${other.harness}/**`,
  )
  const isHerdWhole = HERD.every((one) => programs.includes(one))
  return isHerdWhole ? without : [...without, '--exclude=test/real-client/mixed/**']
}

function runVitest(args: string[]): number {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const run = [vitest, 'run', '--config', 'vitest.real.config.ts', ...args]
  return spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' }).status ?? 1
}
