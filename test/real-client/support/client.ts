import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAlive } from '../../support/processes.ts'

/** A harness as its makers ship it. */
export type RealProgram = {
  harness: string
  title: string
  package: string
  /** The version that the fixtures were recorded with. */
  pinned: string
  /** The environment variable that asks for another one. */
  variable: string
  megabytes: number
  /** The program in an installation by npm, which takes only what fits this machine. */
  binaryIn(prefix: string): string | undefined
  /** A module that programs import: it cannot be run to ask for its version, and brings no program. */
  isModule?: boolean
}

export const CLAUDE_CODE: RealProgram = {
  harness: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  pinned: '2.1.325',
  variable: 'CLAUDE_CODE_VERSION',
  megabytes: 350,
  binaryIn: (prefix) => platformPackage(prefix, '@anthropic-ai', 'claude-code-', 'claude'),
}

export const CODEX: RealProgram = {
  harness: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  pinned: '0.166.0',
  variable: 'CODEX_VERSION',
  megabytes: 440,
  // What npm puts into PATH is a script that runs this one, and waits for it.
  binaryIn: (prefix) => {
    const vendor = platformPackage(prefix, '@openai', `codex-${process.platform}-`, 'vendor')
    const targets = vendor === undefined ? [] : readdirSync(vendor)
    return targets.map((target) => join(vendor!, target, 'bin', 'codex')).find(existsSync)
  },
}

export const OPENCODE: RealProgram = {
  harness: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  pinned: '1.18.33',
  variable: 'OPENCODE_VERSION',
  megabytes: 360,
  binaryIn: (prefix) =>
    platformPackage(prefix, '.', `opencode-${process.platform}-`, 'bin/opencode'),
}

export const GEMINI: RealProgram = {
  harness: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  pinned: '0.61.0',
  variable: 'GEMINI_CLI_VERSION',
  megabytes: 100,
  binaryIn: (prefix) => existing(prefix, '@google/gemini-cli/bundle/gemini.js'),
}

export const QWEN: RealProgram = {
  harness: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  pinned: '0.24.4',
  variable: 'QWEN_CODE_VERSION',
  megabytes: 145,
  binaryIn: (prefix) => existing(prefix, '@qwen-code/qwen-code/cli-entry.js'),
}

export const COPILOT: RealProgram = {
  harness: 'copilot',
  title: 'Copilot CLI',
  package: '@github/copilot',
  pinned: '1.0.102',
  variable: 'COPILOT_CLI_VERSION',
  megabytes: 190,
  binaryIn: (prefix) => existing(prefix, '@github/copilot/npm-loader.js'),
}

/** It runs Claude Code: ours, so that it needs none of its own, nor what only its types name. */
export const AGENT_SDK: RealProgram = {
  harness: 'agent-sdk',
  title: 'Claude Agent SDK',
  package: '@anthropic-ai/claude-agent-sdk',
  pinned: '0.3.327',
  variable: 'AGENT_SDK_VERSION',
  megabytes: 6,
  binaryIn: (prefix) => existing(prefix, '@anthropic-ai/claude-agent-sdk/sdk.mjs'),
  isModule: true,
}

export const REAL_PROGRAMS = [CLAUDE_CODE, CODEX, OPENCODE, GEMINI, QWEN, COPILOT]

export type Client = { version: string; binary: string }

/** The client, or why this machine cannot have it: then there is nothing to test, and nothing failed. */
export type Fetched = { client: Client } | { unavailable: string }

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))
const run = promisify(execFile)

/** The version asked for by the program's variable, else the pinned one. */
export function wantedVersion({ title, pinned, variable } = CLAUDE_CODE): string {
  const version = process.env[variable] || pinned
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
    throw new Error(`"${version}" is not a version of ${title}. It looks like ${pinned}.`)
  }
  return version
}

/** What `fetchClient` has put there. */
export function cachedClient(program = CLAUDE_CODE): Client {
  const version = wantedVersion(program)
  const binary = program.binaryIn(join(CACHE, program.harness, version))
  if (binary) return { version, binary }
  throw new Error(`${program.title} ${version} is not in .cache. "npm run test:real" fetches it.`)
}

/** From the cache, or through the npm client. Several runs at once do no harm: the first one wins. */
export async function fetchClient(
  program = CLAUDE_CODE,
  say: (line: string) => void = (line) => console.error(line),
): Promise<Fetched> {
  const { title, harness, megabytes } = program
  const version = wantedVersion(program)
  const cache = join(CACHE, harness)
  const whole = join(cache, version)
  const cached = program.binaryIn(whole)
  if (cached) return { client: { version, binary: cached } }

  mkdirSync(cache, { recursive: true })
  removeLeftovers(cache)
  const partial = join(cache, `.partial-${process.pid}-${version}`)
  try {
    say(`Fetching ${title} ${version} with npm, once (some ${megabytes} MB on disk) …`)
    const failure = await install(program, version, partial, say)
    if (failure) return { unavailable: failure }
    const binary = program.binaryIn(partial)
    if (!binary) {
      const platform = `${process.platform} ${process.arch}`
      return { unavailable: `${title} ${version} has no program for ${platform}.` }
    }
    const installed = await versionOf(program, binary)
    if (!installed.includes(version)) {
      throw new Error(`npm installed "${installed}" where ${title} ${version} was wanted.`)
    }
    publish(program, partial, whole)
    say(`${title} ${version} is in ${whole}`)
    return { client: cachedClient(program) }
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

async function versionOf({ isModule }: RealProgram, binary: string): Promise<string> {
  if (isModule) return readFileSync(join(dirname(binary), 'package.json'), 'utf8')
  const { stdout } = await run(binary, ['--version'], { env: { PATH: process.env['PATH'] } })
  return stdout.trim()
}

/** The name `<version>` only ever stands for a whole installation. */
function publish(program: RealProgram, partial: string, whole: string): void {
  try {
    renameSync(partial, whole)
  } catch (error) {
    if (!program.binaryIn(whole)) throw error
  }
}

function platformPackage(
  prefix: string,
  scope: string,
  name: string,
  binary: string,
): string | undefined {
  const packages = join(prefix, 'node_modules', scope)
  if (!existsSync(packages)) return undefined
  return readdirSync(packages)
    .filter((found) => found.startsWith(name))
    .map((found) => join(packages, found, binary))
    .find((path) => existsSync(path))
}

function existing(prefix: string, path: string): string | undefined {
  const binary = join(prefix, 'node_modules', path)
  return existsSync(binary) ? binary : undefined
}

/** Its reason when npm cannot get at the package; throws on any other failure. */
async function install(
  program: RealProgram,
  version: string,
  prefix: string,
  say: (line: string) => void,
): Promise<string | undefined> {
  mkdirSync(prefix)
  const quiet = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund']
  const patience = ['--fetch-retries', '1', '--fetch-timeout', '60000', '--loglevel', 'error']
  const args = [
    'install',
    '--prefix',
    prefix,
    ...quiet,
    ...patience,
    ...(program.isModule ? ['--omit=optional', '--omit=peer'] : []),
    `${program.package}@${version}`,
  ]
  const npm = spawn('npm', args, { cwd: prefix, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const startedAt = Date.now()
  const progress = setInterval(() => {
    say(`  … still fetching, ${Math.round((Date.now() - startedAt) / 1000)} s`)
  }, 5_000)
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.on('error', reject)
    npm.on('close', resolve)
  }).finally(() => clearInterval(progress))
  if (code === 0) return undefined
  const why = complaints.trim().split('\n').slice(0, 3).join(' ')
  if (UNREACHABLE.test(complaints)) return `npm cannot reach the package: ${why}`
  throw new Error(`npm could not install ${program.title} ${version}: ${complaints.trim()}`)
}

/** A version that does not exist (ETARGET) is not among them: that is a mistake of the caller. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONN\w+|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|FETCH_ERROR|E40[134]|E5\d\d|ENOTCACHED|SELF_SIGNED\w*|CERT_\w+)\b/

/** What runs that were killed have left. */
function removeLeftovers(cache: string): void {
  for (const name of readdirSync(cache)) {
    const pid = /^\.partial-(\d+)-/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true })
  }
}
