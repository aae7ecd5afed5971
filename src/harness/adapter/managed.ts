import { TrailBossError } from '../../core/errors.ts'
import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'

/** What has to be known of a harness to run it in a pane of ours. */
export type ManagedHarness = {
  /** Throws `BAD_USAGE` where the session is none that this harness could have. */
  launch(request: LaunchRequest): Launch
  /** Whether a launch can be given the bridge. If not, its settings must name it; the environment is there. */
  mountsBridge: boolean
  /** What is positively seen of the place to type: never a guess. */
  composer(screen: Screen): ComposerSight
  /**
   * The command by which a session that runs in a pane is given a prompt, without its keyboard; undefined
   * where the program is another one. It exits with 0 only if the prompt is on its way.
   */
  channel?(request: ChannelRequest): string[] | undefined
  /** The answers of its dialogs that hold this once, word for word: what holds for longer begins alike. */
  oneTimeAnswers: readonly string[]
  /** What ends it at an empty composer, one key after the other. */
  exitKeys: readonly 'C-c'[]
}

export type LaunchRequest = {
  /** Absent: as its makers call it, found in PATH. */
  binary?: string
  /** What the operator wants it to be started with; ours comes after it. */
  args: readonly string[]
  /** What it begins with. */
  prompt?: string
  /** The session that it goes on with. */
  resume?: string
  bridge?: BridgeMount
}

type ChannelRequest = { binary: string; session: string; text: string }

/** An MCP server that this launch alone gets, as a program that speaks over its stdin and stdout. */
export type BridgeMount = {
  command: string
  args: readonly string[]
  /** It is put into the harness's own environment and passed on by name: a token is in no argv. */
  env: Readonly<Record<string, string>>
}

type Launch = {
  argv: string[]
  env: Record<string, string>
  /** False: there is a prompt, and it has to be delivered when it has started. */
  isPrompted: boolean
}

/** The name of the bridge among the MCP servers of a harness. */
export const BRIDGE = 'trailboss'

/** A session's id comes from the harness, and must not be taken for an option by the next one. */
export function requireSession(title: string, session: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(session)) return session
  throw new TrailBossError(
    'BAD_USAGE',
    `${JSON.stringify(session)} is no session of ${title}: it could not be resumed.`,
    { hint: 'Start a new one.' },
  )
}
