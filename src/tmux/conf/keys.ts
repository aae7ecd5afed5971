import { TrailBossError } from '../../core/errors.ts'
import { arrivedAt, BIND_BACK, type Binding, LEFT, REMEMBER_HERE, WAS } from './back-key.ts'
import { requirePlain } from './conf-file.ts'
import { canonicalKey, isKeyName } from './key-name.ts'

export type KeyAction = 'next' | 'popup' | 'skip' | 'back' | 'dismiss' | 'drain'

/** An action without a key is left out: its key belongs to somebody else. */
export type Keys = { [action in KeyAction]?: string | undefined }

export type ConfRequest = {
  /** Absolute path of the `trailboss` program. */
  launcher: string
  keys: Keys
  /** Whether to add the stuck count to the status line. */
  status: boolean
  /** Whether a tmux server that reads this file for the first time starts the daemon. */
  start: boolean
  /** Variables that the commands behind the keys need, since tmux starts them with its own environment. */
  env: Record<string, string>
}

/**
 * Added to the whole line, since themes replace `status-right`. It shows nothing if somebody already has the
 * segment in a part of the line.
 */
export const SEGMENT_SUFFIX =
  '#{?#{m:*@trailboss_segment*,#{status-left}#{status-right}},, #{E:@trailboss_segment}}'

/** Set in a server that has started the daemon once, or that must not. */
export const STARTED = '@trailboss_started'

/** The user options that this file sets. The daemon sets others: see `projection.ts`. */
export const CONF_OPTIONS = [
  '@trailboss_now',
  '@trailboss_fresh',
  '@trailboss_young',
  '@trailboss_pane',
  '@trailboss_run',
  '@trailboss_check',
  '@trailboss_next',
  '@trailboss_go',
  '@trailboss_skip',
  '@trailboss_place',
  '@trailboss_was',
  '@trailboss_back',
  '@trailboss_dismiss',
  '@trailboss_drain',
  '@trailboss_popup',
  '@trailboss_segment',
  STARTED,
]

/**
 * The file that tmux reads: key bindings and status segment. The program's path and all other values of this
 * machine are in user options, which tmux inserts without expanding them again; so a path may contain any
 * character. Nothing here is newer than tmux 3.2, whose formats nest ten deep.
 */
export function renderConf({ launcher, keys, status, start, env }: ConfRequest): string {
  checkKeys(keys)
  const run = programCommand(launcher, env)
  const options: Record<string, string> = {
    '@trailboss_now': '%s',
    '@trailboss_fresh': FRESH,
    '@trailboss_young': YOUNG,
    '@trailboss_pane': '^%[0-9]+$',
    '@trailboss_run': run,
    '@trailboss_check': CHECK,
    '@trailboss_next': cliCommand('jump-next'),
    '@trailboss_skip': cliCommand('skip --jump'),
    '@trailboss_place': '^[$][0-9]+:@[0-9]+[.]%[0-9]+$',
    '@trailboss_was': WAS,
    '@trailboss_back': cliCommand('back'),
    '@trailboss_dismiss': cliCommand('dismiss --jump'),
    '@trailboss_drain': cliCommand('drain'),
    '@trailboss_popup': popupCommand(run),
    '@trailboss_segment': SEGMENT,
  }
  return [
    '# Made by `trailboss install tmux`: changes are lost at the next install.',
    ...Object.entries(options).map(([name, value]) => `set-option -g ${name} ${quote(value)}`),
    '',
    ...bindings(keys),
    ...(status ? ['', APPEND_SEGMENT] : []),
    '',
    start ? START : NO_START,
    '',
  ].join('\n')
}

/** Which of the bindings above a key has, given the words that it is bound to. */
export function ourAction(command: string[]): KeyAction | undefined {
  const [name, flag, text = ''] = command
  if (name === 'if-shell' && flag === '-F') {
    if (text === '#{E:@trailboss_fresh}') return 'next'
    return text.includes('#{E:@trailboss_was}') ? 'back' : undefined
  }
  if (name !== 'run-shell' || flag !== '-C') return undefined
  if (text.includes('#{@trailboss_popup}')) return 'popup'
  if (text.startsWith('#{@trailboss_dismiss}')) return 'dismiss'
  if (text.startsWith('#{@trailboss_drain}')) return 'drain'
  return text.startsWith('#{@trailboss_skip}') ? 'skip' : undefined
}

/** Single quotes mean the same to sh and to tmux. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

export function checkKeys(keys: Keys): void {
  const bound = Object.values(keys).filter((key) => key !== undefined)
  for (const key of bound) {
    if (isKeyName(key)) continue
    const hint = 'Write it as tmux does: g, S, Tab, M-n, C-Space, F5.'
    const message = `${JSON.stringify(key)} is not a key that can be bound.`
    throw new TrailBossError('BAD_USAGE', message, { hint })
  }
  if (new Set(bound.map(canonicalKey)).size < bound.length) {
    throw new TrailBossError('BAD_USAGE', `Two actions have the same key: ${bound.join(', ')}.`, {
      hint: 'Give each of --key-next, --key-popup, --key-skip, --key-back, --key-dismiss and --key-drain a key of its own.',
    })
  }
}

function programCommand(launcher: string, env: Record<string, string>): string {
  const hint = 'tmux cannot be given such a path: move it, or point a plain symlink at it.'
  for (const text of [launcher, ...Object.values(env)]) requirePlain(text, hint)
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)} `)
  return `${variables.join('')}${quote(launcher)}`
}

// Less than 15 s from the daemon's last heartbeat, in either direction, because a clock may have been set back. An
// empty or odd heartbeat gives no such number.
const FRESH = '#{m/r:^-?([0-9]|1[0-4])$,#{e|-|:#{T:@trailboss_now},#{@trailboss_beat}}}'

// In its first seconds a server does not know the daemon that it starts.
const YOUNG = '#{m/r:^[0-3]$,#{e|-|:#{T:@trailboss_now},#{start_time}}}'
const OFF = '#{?#{E:@trailboss_young},,#[dim]trailboss is off#[nodim]}'

// The daemon lists the clients that drain; each sees only whether it is one of them.
const DRAINS =
  '#{?#{m:* #{client_pid} *,#{@trailboss_draining}},#{?#{@trailboss_count}#{@trailboss_cooling}, ,}⇥,}'

const SEGMENT = `#{?#{E:@trailboss_fresh},#{?#{@trailboss_count},#[bold]⚠ #{@trailboss_count} stuck#[nobold],#{?#{@trailboss_cooling},#[dim]#{@trailboss_cooling} skipped#[nodim],}}${DRAINS},${OFF}}`

// tmux would show the output or the exit code of `run-shell` over some pane. The program shows its own errors; tmux
// only has to report that it could not be started.
const CHECK =
  '>/dev/null 2>&1; case $? in 126|127) tmux display-message -c "$client" "trailboss: its program cannot be started; was it moved or removed?";; esac; exit 0'

/** A tmux command as text: runs the program in the background, with the client and the pane of the key press. */
function cliCommand(verb: string): string {
  const script = `TRAILBOSS_TMUX_SOCKET=#{q:socket_path}; client=#{q:client_name}; pane=#{q:pane_id}; export TRAILBOSS_TMUX_SOCKET; #{@trailboss_run} ${verb} --client "$client" --pane "$pane" #{@trailboss_check}`
  return `run-shell -b ${quote(script)}`
}

// Passed as several words, it starts without the user's shell, which may not be a POSIX one. An error stays readable
// until the operator has seen it.
function popupCommand(run: string): string {
  const script = `export TRAILBOSS_TMUX_SOCKET="$1"; ${run} popup --client "$2" --pane "$3" || { printf '\\nPress Enter to close. '; read -r _; }`
  return `display-popup -E -w 90% -h 80% /bin/sh -c ${quote(script)} trailboss`
}

function bindings(keys: Keys): string[] {
  const actions: Record<KeyAction, Binding> = {
    next: bindNext(keys),
    popup: BIND_POPUP,
    skip: BIND_SKIP,
    back: BIND_BACK,
    dismiss: BIND_DISMISS,
    drain: BIND_DRAIN,
  }
  return Object.entries(actions).map(([action, [note, command]]) => {
    const key = keys[action as KeyAction]
    if (key === undefined) return `# ${action}: no key`
    return `bind-key -N ${quote(note)} -T prefix ${quote(key)} ${command}`
  })
}

const BIND_POPUP: Binding = [
  'trailboss: what waits for you',
  `run-shell -C '${LEFT} ; #{@trailboss_popup} #{q:socket_path} #{q:client_name} #{q:pane_id}'`,
]

const BIND_SKIP: Binding = [
  'trailboss: skip this one, go to the next',
  "run-shell -C '#{@trailboss_skip}'",
]

const BIND_DISMISS: Binding = [
  'trailboss: this one needs nothing, go to the next',
  "run-shell -C '#{@trailboss_dismiss}'",
]

const BIND_DRAIN: Binding = [
  'trailboss: after an answer, go to the next by itself, or stop that',
  "run-shell -C '#{@trailboss_drain}'",
]

// The pane that is the head now, if it exists; expand once, then run.
const JUMP = `if-shell -F -t "#{@trailboss_head}" "##{==:##{pane_id},#{@trailboss_head}}" { switch-client -Z -t "#{@trailboss_head}" ; ${REMEMBER_HERE} ; ${arrivedAt('#{@trailboss_head}')} } { run-shell -C "##{@trailboss_next}" }`

/**
 * Decided by tmux alone, without starting a process. The head is used only if it is a pane id and that pane
 * exists; the command then acts for the client that pressed the key. As a hook it runs at once, while
 * `run-shell -C` waits for another turn of tmux's event loop; tmux before 3.3 runs no user hooks.
 */
function bindNext(keys: Keys): Binding {
  const skip = keys.skip === undefined ? '`trailboss skip`' : `#{prefix} ${keys.skip}`
  return [
    'trailboss: go to the oldest session that waits for you',
    `if-shell -F '#{E:@trailboss_fresh}' {
  if-shell -F '#{m/r:#{@trailboss_pane},#{@trailboss_head}}' {
    if-shell -F '#{==:#{@trailboss_head},#{pane_id}}' {
      set-option -gF '@trailboss_at_#{client_pid}' '#{pane_id} #{T:@trailboss_now}'
      display-message -d 2500 'trailboss: this is the oldest one: answer it, or skip it with ${skip}'
    } {
      if-shell -F '#{>=:#{version},3.3}' {
        set-option -gF @trailboss_go '${JUMP}'
        set-hook -R @trailboss_go
      } {
        run-shell -C '${JUMP}'
      }
    }
  } {
    if-shell -F '#{==:#{@trailboss_head}#{@trailboss_count}#{@trailboss_elsewhere}#{@trailboss_nopane},}' {
      display-message -d 1500 'trailboss: #{?@trailboss_cooling,nothing else waits (#{@trailboss_cooling} skipped),nothing is stuck}'
    } {
      run-shell -C '#{@trailboss_next}'
    }
  }
} {
  run-shell -C '#{@trailboss_next}'
}`,
  ]
}

// The user may source this file repeatedly, and the segment must not add up.
const APPEND_SEGMENT = `if-shell -F '#{?#{m:*@trailboss_segment*,#{status-format[0]}},,1}' {
  set-option -ga 'status-format[0]' '${SEGMENT_SUFFIX}'
}`

// Once per server: whoever has stopped the daemon may load the configuration again. Neither its output nor its exit
// code may show up over a pane.
const START = `if-shell -F '#{?${STARTED},,1}' {
  set-option -g ${STARTED} 1
  run-shell -b '{ #{@trailboss_run} up; } >/dev/null 2>&1; exit 0'
}`
/** Marks an install with `--no-start`. */
export const NO_START = '# start: left to you'
