import { basename } from 'node:path'

/** The role of a Codex process. */
export type CodexRole =
  /** A human sits in front of it. */
  | 'terminal'
  /** It does one thing by itself and exits, or serves a program: nobody sits in front of it. */
  | 'headless'
  /** The shared daemon: it runs the sessions that others show. */
  | 'daemon'

/** The program itself, not the npm script that runs it and waits. */
export function isCodexProgram({ name }: { name: string }): boolean {
  return name === 'codex'
}

/** A Codex with a human in front of it. */
export function isCodex(process: { name: string; argv: readonly string[] }): boolean {
  return isCodexProgram(process) && roleOf(process.argv) === 'terminal'
}

export function isCodexDaemon(process: { name: string; argv: readonly string[] }): boolean {
  return isCodexProgram(process) && roleOf(process.argv) === 'daemon'
}

/** By its command: it is interactive without one, with a prompt in its place, or with one of these. */
export function roleOf(argv: readonly string[]): CodexRole {
  const command = commandIn(argv.slice(1))
  if (command === undefined || !COMMANDS.has(command)) return 'terminal'
  if (INTERACTIVE.has(command)) return 'terminal'
  const isShared = command === 'app-server' && argv.some((word) => word.startsWith('unix://'))
  return isShared ? 'daemon' : 'headless'
}

/** The first argument that is neither an option nor the value of one. */
function commandIn(words: readonly string[]): string | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word === '--') return undefined
    if (!word.startsWith('-')) return basename(word)
    if (WITH_VALUE.has(word)) index++
  }
  return undefined
}

const INTERACTIVE = new Set(['resume', 'fork', 'agents'])

/** As 0.166.0 lists them; any other first argument is a prompt. */
const COMMANDS = new Set([
  ...INTERACTIVE,
  ...['exec', 'e', 'review', 'login', 'logout', 'mcp', 'mcp-server', 'plugin', 'app-server'],
  ...['remote-control', 'completion', 'update', 'doctor', 'sandbox', 'debug', 'apply', 'a'],
  ...['queue', 'archive', 'delete', 'unarchive', 'migrate-rollouts', 'migrate-nfs-db', 'cloud'],
  ...['exec-server', 'features', 'help'],
])

const WITH_VALUE = new Set([
  ...['-c', '--config', '-m', '--model', '-p', '--profile', '-s', '--sandbox', '-C', '--cd'],
  ...['-a', '--ask-for-approval', '-i', '--image', '--add-dir', '--enable', '--disable'],
  ...['--local-provider', '--remote', '--remote-auth-token-env'],
])
