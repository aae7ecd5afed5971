import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAlive } from '../../support/processes.ts'

/** The version that the fixtures were recorded with. */
export const PINNED_VERSION = '2.1.325'

export type Client = { version: string; binary: string }

/** The client, or why this machine cannot have it: then there is nothing to test, and nothing failed. */
export type Fetched = { client: Client } | { unavailable: string }

const CACHE = fileURLToPath(new URL('../../../.cache/claude-code/', import.meta.url))
const PACKAGE = '@anthropic-ai/claude-code'
const run = promisify(execFile)

/** The version asked for by `CLAUDE_CODE_VERSION`, else the pinned one. */
export function wantedVersion(): string {
  const version = process.env['CLAUDE_CODE_VERSION'] || PINNED_VERSION
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
    throw new Error(
      `"${version}" is not a version of Claude Code. It looks like ${PINNED_VERSION}.`,
    )
  }
  return version
}

/** What `fetchClient` has put there. */
export function cachedClient(version = wantedVersion()): Client {
  const binary = binaryIn(join(CACHE, version))
  if (binary) return { version, binary }
  throw new Error(`Claude Code ${version} is not in .cache. "npm run test:real" fetches it.`)
}

/** From the cache, or through the npm client. Several runs at once do no harm: the first one wins. */
export async function fetchClient(
  version: string,
  say: (line: string) => void = (line) => console.error(line),
): Promise<Fetched> {
  const whole = join(CACHE, version)
  const cached = binaryIn(whole)
  if (cached) return { client: { version, binary: cached } }

  mkdirSync(CACHE, { recursive: true })
  removeLeftovers()
  const partial = join(CACHE, `.partial-${process.pid}-${version}`)
  try {
    say(`Fetching Claude Code ${version} with npm, once (some 350 MB on disk) …`)
    const failure = await install(version, partial, say)
    if (failure) return { unavailable: failure }
    const binary = binaryIn(partial)
    if (!binary) {
      const platform = `${process.platform} ${process.arch}`
      return { unavailable: `Claude Code ${version} has no program for ${platform}.` }
    }
    const { stdout } = await run(binary, ['--version'], { env: { PATH: process.env['PATH'] } })
    if (!stdout.startsWith(version)) {
      throw new Error(`npm installed "${stdout.trim()}" where Claude Code ${version} was wanted.`)
    }
    publish(partial, whole)
    say(`Claude Code ${version} is in ${whole}`)
    return { client: cachedClient(version) }
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** The name `<version>` only ever stands for a whole installation. */
function publish(partial: string, whole: string): void {
  try {
    renameSync(partial, whole)
  } catch (error) {
    if (!binaryIn(whole)) throw error
  }
}

/** npm takes only the platform packages that fit this machine. */
function binaryIn(prefix: string): string | undefined {
  const scope = join(prefix, 'node_modules', '@anthropic-ai')
  if (!existsSync(scope)) return undefined
  return readdirSync(scope)
    .filter((name) => name.startsWith('claude-code-'))
    .map((name) => join(scope, name, 'claude'))
    .find((binary) => existsSync(binary))
}

/** Its reason when npm cannot get at the package; throws on any other failure. */
async function install(
  version: string,
  prefix: string,
  say: (line: string) => void,
): Promise<string | undefined> {
  mkdirSync(prefix)
  const quiet = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund']
  const patience = ['--fetch-retries', '1', '--fetch-timeout', '60000', '--loglevel', 'error']
  const args = ['install', '--prefix', prefix, ...quiet, ...patience, `${PACKAGE}@${version}`]
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
  throw new Error(`npm could not install Claude Code ${version}: ${complaints.trim()}`)
}

/** A version that does not exist (ETARGET) is not among them: that is a mistake of the caller. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONN\w+|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|FETCH_ERROR|E40[134]|E5\d\d|ENOTCACHED|SELF_SIGNED\w*|CERT_\w+)\b/

/** What runs that were killed have left. */
function removeLeftovers(): void {
  for (const name of readdirSync(CACHE)) {
    const pid = /^\.partial-(\d+)-/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(CACHE, name), { recursive: true, force: true })
  }
}
