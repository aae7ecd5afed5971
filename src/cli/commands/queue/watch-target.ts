import { TrailBossError } from '../../../core/errors.ts'
import { runTmux } from '../../../tmux/exec.ts'
import { WATCH_OPTION, WATCHED_VALUE } from '../../../tmux/panes.ts'

/** The pane, window or tmux session that the operator wants to watch. */
export type WatchTarget = { socket: string; level: 'pane' | 'window' | 'session'; id: string }

/** By its id, as tmux writes targets, `.` for the pane that the command runs in, or a session's name. */
export async function findTarget(socket: string, text: string): Promise<WatchTarget> {
  if (text === '') {
    throw new TrailBossError('BAD_USAGE', 'The target has an empty name.', {
      hint: 'Name a pane, a window or a tmux session; without one, watch shows the whole herd.',
    })
  }
  const target = namedTarget(text)
  const level = levelOf(target)
  const named = level === 'session' && !target.startsWith('$') ? `=${target}:` : target
  const format = '#{session_id} #{window_id} #{pane_id}'
  // For a missing target display-message answers with the current pane; list-panes refuses it.
  const look = ['list-panes', '-t', named, '-F', '-', ';']
  const result = await runTmux(socket, [...look, 'display-message', '-p', '-t', named, format])
  const [, session, window, pane] =
    (result.ok && /^(\$\d+) (@\d+) (%\d+)\n$/m.exec(result.stdout)) || []
  if (session && window && pane) {
    return { socket, level, id: { session, window, pane }[level] }
  }
  throw new TrailBossError(
    'NOT_FOUND',
    `There is no pane, window or tmux session "${text}" at ${socket}.`,
    { hint: `See what there is: tmux -S '${socket}' list-panes -a` },
  )
}

/** The option stays in tmux, so it outlives the daemon. */
export async function startWatching(target: WatchTarget): Promise<void> {
  await change(target, ['set-option', ...scopeOf(target), WATCH_OPTION, 'on'])
}

/** False if it was not watched. */
export async function stopWatching(target: WatchTarget): Promise<boolean> {
  const own = await runTmux(target.socket, [
    'show-options',
    '-qv',
    ...scopeOf(target),
    WATCH_OPTION,
  ])
  const value = own.ok && own.stdout.trim() !== '' ? own.stdout.trim() : await valueIn(target)
  if (!WATCHED_VALUE.test(value)) return false
  await change(target, ['set-option', '-u', ...scopeOf(target), WATCH_OPTION])
  // Its window or session may still be watched.
  if ((await valueIn(target)) !== '') {
    await change(target, ['set-option', ...scopeOf(target), WATCH_OPTION, 'off'])
  }
  return true
}

/** Its own value, or that of its window or session. */
async function valueIn({ socket, id }: WatchTarget): Promise<string> {
  const look = ['display-message', '-p', '-t', id, `#{${WATCH_OPTION}}`]
  const result = await runTmux(socket, look)
  return result.ok ? result.stdout.trim() : ''
}

/** The ids of the panes in it. */
export async function panesIn({ socket, level, id }: WatchTarget): Promise<ReadonlySet<string>> {
  if (level === 'pane') return new Set([id])
  const within = level === 'session' ? ['-s', '-t', id] : ['-t', id]
  const result = await runTmux(socket, ['list-panes', ...within, '-F', '#{pane_id}'])
  return new Set(result.ok ? result.stdout.split('\n').filter(Boolean) : [])
}

/** A target as people write it: `.` is their own pane. */
export function namedTarget(text: string): string {
  if (text.trim() === '') throw emptyName()
  if (text.length > MOST_CHARS) {
    const message = `A target has at most ${MOST_CHARS} characters, and this one has ${text.length}.`
    throw new TrailBossError('BAD_USAGE', message, {
      hint: 'Name a session, a pane or an agent: trailboss sessions',
    })
  }
  return text === '.' ? ownPane() : text
}

/** Such as a shell variable that is not set: it must not mean what no target means. */
export function emptyName(): TrailBossError {
  return new TrailBossError('BAD_USAGE', 'The target has an empty name.', {
    hint: 'Name a session, a pane or an agent: trailboss sessions',
  })
}

/** The daemon takes no longer ones. */
const MOST_CHARS = 512

function ownPane(): string {
  const pane = process.env['TMUX_PANE']
  if (pane) return pane
  throw new TrailBossError('BAD_USAGE', 'This is not a tmux pane, so "." means nothing here.', {
    hint: 'Name a session or a pane, or run it inside tmux.',
  })
}

function levelOf(target: string): WatchTarget['level'] {
  if (/^%|:.*\./.test(target)) return 'pane'
  return /^@|:/.test(target) ? 'window' : 'session'
}

function scopeOf({ level, id }: WatchTarget): string[] {
  const flag = { pane: ['-p'], window: ['-w'], session: [] }[level]
  return [...flag, '-t', id]
}

async function change({ socket, id }: WatchTarget, args: string[]): Promise<void> {
  const result = await runTmux(socket, args)
  if (result.ok) return
  throw new TrailBossError('TMUX_UNREACHABLE', `tmux refused it: ${result.stderr.trim()}`, {
    hint: `Check whether ${id} still exists.`,
  })
}
