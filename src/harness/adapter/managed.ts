import { TrailBossError } from '../../core/errors.ts'
import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'

/** What we need to know to run a harness in a pane of ours. */
export type ManagedHarness = {
  /** Throws `BAD_USAGE` if this harness could not have such a session. */
  launch(request: LaunchRequest): Launch
  /** Whether a launch can include the bridge. If not, its settings must name it; the environment is there. */
  mountsBridge: boolean
  /** What the place to type positively shows: never a guess. */
  composer(screen: Screen): ComposerSight
  /**
   * The command that gives a prompt to a session running in a pane, without its keyboard; undefined if the
   * binary is another program. It exits with 0 only if the prompt is on its way.
   */
  channel?(request: ChannelRequest): string[] | undefined
  /** Where that command leaves the prompt until the session takes it. Absent: we cannot look. */
  channelQueue?: ChannelQueue
  /** Answers in its dialogs that apply only this once, word for word: those that apply longer begin the same way. */
  oneTimeAnswers: readonly string[]
  /** Keys that exit it at an empty composer, one after the other. */
  exitKeys: readonly 'C-c'[]
}

export type LaunchRequest = {
  /** Absent: its standard name, found in PATH. */
  binary?: string
  /** The operator's own arguments; ours come after them. */
  args: readonly string[]
  /** Its first prompt. */
  prompt?: string
  /** The session to continue. */
  resume?: string
  bridge?: BridgeMount
}

/** The file with the prompts that came through the channel and that no session has taken yet. */
export type ChannelQueue = {
  /** Recognises the file among those that a process of the harness has open. */
  isFile(path: string): boolean
  /** Whether it has a prompt with these words. Throws if it cannot be read. */
  holds(path: string, words: string): boolean
}

type ChannelRequest = { binary: string; session: string; text: string }

/** An MCP server for this launch alone, as a program that speaks over its stdin and stdout. */
export type BridgeMount = {
  command: string
  args: readonly string[]
  /** Set in the harness's own environment and passed on by name, so that no argv contains a token. */
  env: Readonly<Record<string, string>>
}

type Launch = {
  argv: string[]
  env: Record<string, string>
  /** False: there is a prompt, and it must be delivered after the start. */
  isPrompted: boolean
}

/** The name of the bridge among the MCP servers of a harness. */
export const BRIDGE = 'trailboss'

/** A session's id comes from the harness, and the next launch must not take it for an option. */
export function requireSession(title: string, session: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(session)) return session
  throw new TrailBossError(
    'BAD_USAGE',
    `${JSON.stringify(session)} is no session of ${title}: it could not be resumed.`,
    { hint: 'Start a new one.' },
  )
}
