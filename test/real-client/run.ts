/**
 * `npm run test:real [-- <harness or folder> …] [--client <version>] [vitest's own arguments]`: the tests against
 * the real programs, or those named. What cannot be had is skipped, and that is said. With
 * `--record [name …]` no test is run: the fixtures of one harness are written, of Claude Code if none
 * is named.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setup as build } from '../support/build.ts'
import {
  AGENT_SDK,
  CLAUDE_CODE,
  CODEX,
  fetchClient,
  GEMINI,
  OPENCODE,
  REAL_PROGRAMS,
  type RealProgram,
  wantedVersion,
} from './support/client.ts'

/** Tests with several programs at once, and which. */
const FOLDERS: Record<string, RealProgram[]> = {
  'agent-sdk': [CLAUDE_CODE, AGENT_SDK],
  mixed: [CLAUDE_CODE, CODEX, OPENCODE, GEMINI],
  supervisor: [CLAUDE_CODE, CODEX],
}
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
const folders = Object.keys(FOLDERS).filter((folder) => rest.includes(folder))
for (const name of [...named.map(({ harness }) => harness), ...folders]) {
  rest.splice(rest.indexOf(name), 1)
}
const isOne = values.record || values.client
const wanted = wantedPrograms()
if (typeof values.client === 'string') process.env[wanted[0]!.variable] = values.client

try {
  const fetched = await fetchAll(wanted)
  const [program] = fetched
  if (program && values.record) {
    build()
    if (rest.includes('terminals')) await recordTerminals(program)
    const names = rest.filter((name) => name !== 'terminals')
    const recorder = program === CLAUDE_CODE ? './record' : `./${program.harness}`
    const { record } = (await import(`${recorder}/record.ts`)) as RecorderModule
    if (names.length > 0 || rest.length === 0) await record(wantedVersion(program), names)
  } else if (program) {
    process.exitCode = runVitest([...allBut(fetched), ...rest])
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function wantedPrograms(): RealProgram[] {
  const among = new Set([...named, ...folders.flatMap((folder) => FOLDERS[folder] ?? [])])
  const all = [...REAL_PROGRAMS, AGENT_SDK]
  if (among.size > 0) return all.filter((program) => among.has(program))
  return isOne ? [CLAUDE_CODE] : all
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

async function recordTerminals(program: RealProgram): Promise<void> {
  const { TERMINAL_RECORDERS } = await import('./record/terminal-stages.ts')
  const recordIt = TERMINAL_RECORDERS[program.harness]
  if (!recordIt) throw new Error(`Nobody records ${program.title} in terminals of all kinds.`)
  await recordIt(wantedVersion(program))
}

type RecorderModule = { record(version: string, names: string[]): Promise<void> }

/** Each harness has a directory, but for Claude Code, whose tests are beside them. */
function allBut(programs: RealProgram[]): string[] {
  const isNamed = named.length + folders.length > 0
  const others = REAL_PROGRAMS.filter(
    (other) => !programs.includes(other) || (isNamed && !named.includes(other)),
  )
  const without = others.map((other) =>
    other === CLAUDE_CODE
      ? '--exclude=test/real-client/*.test.ts'
      : `--exclude=test/real-client/${other.harness}/**`,
  )
  const otherFolders = Object.entries(FOLDERS).filter(([folder, needed]) => {
    const isWhole = needed.every((one) => programs.includes(one))
    return !isWhole || (isNamed && !folders.includes(folder))
  })
  return [...without, ...otherFolders.map(([folder]) => `--exclude=test/real-client/${folder}/**`)]
}

function runVitest(args: string[]): number {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const run = [vitest, 'run', '--config', 'vitest.real.config.ts', ...args]
  return spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' }).status ?? 1
}
