import { readFileSync, statSync } from 'node:fs'
import { type ParseError, parse, printParseErrorCode, stripComments } from 'jsonc-parser'
import * as v from 'valibot'
import { messageOf, TrailBossError } from '../core/errors.ts'
import { DEFAULT_PACE, type PaceRange } from '../core/monitor/interval.ts'
import { PLAIN_PATH } from '../core/text.ts'
import { group } from './group.ts'
import { issueText } from './issue-text.ts'
import { NotifySchema } from './notify-settings.ts'
import { SupervisorSchema } from './supervisor-settings.ts'
import { WorkspacesSchema } from './workspaces.ts'

const KEY = v.pipe(
  v.string(),
  v.regex(/^(?:[CMS]-)*(?:[!-~]|[A-Z][A-Za-z0-9]{1,8})$/, 'a tmux key name'),
)
const ms = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))

/** The shortest and the longest interval; the monitor chooses within them. */
const rangeMs = (by: PaceRange) =>
  v.optional(
    v.pipe(
      v.tuple([ms(100, 3_600_000), ms(100, 3_600_000)]),
      v.check(([least, most]) => least <= most, 'the first is to be no more than the second'),
    ),
    [...by],
  )
const { intervalsMs, freshMs, leastMs } = DEFAULT_PACE

/** Every setting with its default. CLI flags that are settings have the same names. */
const ConfigSchema = v.strictObject({
  /** How long a skipped item stays out of the way. */
  skipCooldownMs: v.optional(ms(0, 86_400_000), 60_000),
  /** How often we ask tmux which panes exist. */
  reconcileMs: v.optional(ms(200, 600_000), 5_000),
  /** How often known processes and transcripts are checked if nothing announced a change. */
  sweepMs: v.optional(ms(100, 600_000), 1_000),
  /** Loopback TCP port for pages and other tools; 0 for none. */
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)), 4_000),
  /** How many entries of the event log are kept; older ones are folded away. */
  keepEvents: v.optional(v.pipe(v.number(), v.integer(), v.minValue(100)), 50_000),
  logLevel: v.optional(v.picklist(['debug', 'info', 'warn', 'error']), 'info'),
  /** The tmux server to use when the command is not run inside one. */
  tmuxSocket: v.optional(v.pipe(v.string(), v.regex(PLAIN_PATH))),
  keys: group({
    next: v.optional(KEY, 'Tab'),
    popup: v.optional(KEY, 'g'),
    skip: v.optional(KEY, 'S'),
    back: v.optional(KEY, 'B'),
    /** Dismisses the session in this pane; not bound unless somebody chooses a key. */
    dismiss: v.optional(KEY),
    /** Turns drain on and off; not bound unless somebody chooses a key. */
    drain: v.optional(KEY),
  }),
  /** Whether the keys file adds the stuck count to the status line. */
  statusSegment: v.optional(v.boolean(), false),
  /** Whether a control-mode client stays attached to tmux; `auto`: if this tmux is known to cope with it. */
  controlClient: v.optional(v.picklist(['auto', 'on', 'off']), 'auto'),
  /** What to watch besides the known harnesses. */
  watch: group({
    /** Names of programs, as tmux shows them, to watch in whichever pane they run. */
    commands: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.regex(/^[^\s/]{1,15}$/, 'the name of a program'))),
        v.maxLength(100),
      ),
      [],
    ),
  }),
  /** How often the monitor looks at a pane, by what its screen shows. */
  monitor: group({
    intervalsMs: group({
      dispatched: rangeMs(intervalsMs.dispatched),
      edits: rangeMs(intervalsMs.edits),
      tests: rangeMs(intervalsMs.tests),
      build: rangeMs(intervalsMs.build),
      subagent: rangeMs(intervalsMs.subagent),
      reading: rangeMs(intervalsMs.reading),
      question: rangeMs(intervalsMs.question),
      quiet: rangeMs(intervalsMs.quiet),
      stalled: rangeMs(intervalsMs.stalled),
    }),
    freshMs: rangeMs(freshMs),
    leastMs: v.optional(ms(100, 60_000), leastMs),
  }),
  /** Whether the operator may have what they wrote typed into the composer of a waiting session. */
  reply: v.optional(v.boolean(), false),
  /** How to get your attention when something waits. */
  notify: v.optional(NotifySchema, {}),
  /** Where to run agents for you, and in which roles. If there are none, the supervisor does not run. */
  workspaces: v.optional(WorkspacesSchema, {}),
  supervisor: v.optional(SupervisorSchema, {}),
})

export type Config = v.InferOutput<typeof ConfigSchema>

/** The file's settings, overridden by the environment. A missing file means all defaults. */
export function loadConfig(file: string, env: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(file, readText(file), env)
}

/** The same for the text of the file; undefined if there is no file. */
export function parseConfig(
  file: string,
  text: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Config {
  const own = text === undefined ? {} : settingsIn(file, text)
  const parsed = v.safeParse(ConfigSchema, { ...own, ...environmentSettings(env) })
  if (parsed.success) return parsed.output
  const issues = parsed.issues.map((issue) => issueText(issue, 'config'))
  throw new TrailBossError('BAD_CONFIG', `${file}: ${issues.join('; ')}`, {
    hint: 'Correct the setting, or remove it to get its default.',
  })
}

export function defaultConfig(): Config {
  return v.parse(ConfigSchema, {})
}

/** Far more than anybody configures by hand. */
const MOST_BYTES = 1_048_576

function readText(file: string): string | undefined {
  try {
    // Anything else, such as a named pipe, could keep us waiting.
    const found = statSync(file)
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Whoever needs the home reports one that is not a directory.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new TrailBossError('BAD_CONFIG', `${file} cannot be read: ${messageOf(error)}`)
  }
}

/** JSON that may contain comments. */
function settingsIn(file: string, text: string): Record<string, unknown> {
  try {
    const settings: unknown = JSON.parse(stripComments(text))
    if (settings !== null && typeof settings === 'object' && !Array.isArray(settings)) {
      return settings as Record<string, unknown>
    }
  } catch (error) {
    const why = mistakeIn(text)
    throw new TrailBossError(
      'BAD_CONFIG',
      `${file} is not valid JSON: ${why ?? messageOf(error)}`,
      {
        hint: 'It is JSON in which there may be comments; a comma after the last entry is not allowed.',
      },
    )
  }
  throw new TrailBossError('BAD_CONFIG', `${file} must hold one JSON object.`)
}

/** The first mistake, with its place. */
function mistakeIn(text: string): string | undefined {
  const errors: ParseError[] = []
  try {
    parse(text, errors)
  } catch {
    return 'it is nested too deeply'
  }
  const [first] = errors
  if (!first) return undefined
  const lines = text.slice(0, first.offset).split('\n')
  // ValueExpected: value expected.
  const what = printParseErrorCode(first.error).replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
  return `${what.toLowerCase()} in line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

function environmentSettings(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const settings: Record<string, unknown> = {}
  const port = env['TRAILBOSS_PORT']
  if (port && !isPort(port)) {
    throw new TrailBossError('BAD_CONFIG', `TRAILBOSS_PORT is "${port}", which is no port.`, {
      hint: 'Set it to a number up to 65535, 0 for no TCP at all.',
    })
  }
  if (port) settings['port'] = Number(port)
  const socket = env['TRAILBOSS_TMUX_SOCKET']
  if (socket) settings['tmuxSocket'] = socket
  return settings
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}
