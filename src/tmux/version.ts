import { TrailBossError } from '../core/errors.ts'
import { runTmux } from './exec.ts'

export type TmuxVersion = { major: number; minor: number; text: string }

/** Undefined when there is no tmux on this machine. */
export async function tmuxVersion(): Promise<TmuxVersion | undefined> {
  const result = await runTmux(undefined, ['-V'])
  if (result.ok) return parseTmuxVersion(result.stdout)
  if (result.kind === 'missing') return undefined
  throw new TrailBossError('TMUX_UNREACHABLE', '`tmux -V` did not answer.', {
    hint: result.stderr.trim() || 'Try it in a shell: something keeps tmux from starting.',
  })
}

/** Throws `TMUX_MISSING` or `TMUX_TOO_OLD`. */
export async function requireTmux(): Promise<TmuxVersion> {
  const version = await tmuxVersion()
  if (version === undefined) {
    throw new TrailBossError('TMUX_MISSING', 'tmux is not installed, or not in PATH.', {
      hint: `Install tmux ${OLDEST.text} or newer: ${WAYS_TO_INSTALL}.`,
    })
  }
  if (isOlder(version, OLDEST)) {
    const message = `tmux ${version.text} is too old: ${OLDEST.text} or newer is needed.`
    const hint = `Get a newer one: ${WAYS_TO_INSTALL}, or build it from source.`
    throw new TrailBossError('TMUX_TOO_OLD', message, { hint })
  }
  return version
}

/** A development build ("master", OpenBSD's own) has no comparable number; it counts as newer than every release. */
export function parseTmuxVersion(output: string): TmuxVersion {
  const text = output.trim().replace(/^tmux\s+/, '')
  const numbers = /^(?:next-)?(\d+)\.(\d+)/.exec(text)
  if (numbers === null) return { ...NEWEST, text }
  return { major: Number(numbers[1]), minor: Number(numbers[2]), text }
}

/**
 * Older ones crash, and take all sessions with them, when a session ends right after its current window changed
 * while any control client is attached (https://github.com/tmux/tmux/issues/5243).
 */
export function isSafeWithControlClient(version: TmuxVersion): boolean {
  return !isOlder(version, FIRST_SAFE)
}

/** The version of the server, which may be older than the program. Undefined if it does not answer. */
export async function serverVersion(socket: string): Promise<TmuxVersion | undefined> {
  const result = await runTmux(socket, ['display-message', '-p', '#{version}'])
  return result.ok ? parseTmuxVersion(result.stdout) : undefined
}

const FIRST_SAFE: TmuxVersion = { major: 3, minor: 8, text: '3.8' }
const OLDEST: TmuxVersion = { major: 3, minor: 2, text: '3.2' }
const NEWEST = { major: 99, minor: 0 }
const WAYS_TO_INSTALL =
  '`apt install tmux`, `dnf install tmux`, `pacman -S tmux`, `apk add tmux` or `brew install tmux`'

function isOlder(one: TmuxVersion, other: TmuxVersion): boolean {
  return one.major < other.major || (one.major === other.major && one.minor < other.minor)
}
