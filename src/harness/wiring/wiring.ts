import type { Emitter } from '../hooks/emitter-command.ts'
import type { Check } from './check.ts'

/**
 * How a harness is made to run the emitter, and how that is taken back. It reads and plans; whoever asks for a
 * plan shows it, asks the user and writes.
 */
export type Wiring = {
  /** Nothing is written for a harness that nobody has here. */
  isInUse(site: Site): boolean
  /** Idempotent. What others have in a file stays as it is, to the byte. */
  install: Step<InstallPlan | Printed>
  /** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
  uninstall: Step<UninstallPlan>
  /** Reads the settings and changes nothing. Throws `BAD_USAGE` where they cannot be read. */
  check(site: Site): Check | Promise<Check>
}

type Step<Plan> = {
  /** For the help, beginning with a verb: what it does. */
  summary: string
  flags?: readonly Flag[]
  plan(site: Site, options: WiringOptions): Plan | Promise<Plan>
}

/** An option of the command: `--project <dir>`. It comes to the plan as `project`. */
type Flag = { flag: string; help: string }

export type WiringOptions = Readonly<Record<string, string | boolean | undefined>>

/** What a wiring may look at, and whom it may ask. */
export type Site = {
  env: NodeJS.ProcessEnv
  /** The user's home directory. */
  home: string
  emitter: Emitter
  /** Absolute path of the `trailboss` program. */
  launcher: string
  /** A settings file; undefined when it is not there. Throws `BAD_USAGE` for what is no text. */
  read(path: string): string | undefined
  /** A file that may hold anything. */
  peek(path: string): string | undefined
  /** What a file was before install first changed it, where that was kept. */
  before(path: string): string | undefined
  note(text: string): void
  /** Absent when nobody is there to answer. */
  confirm?: (question: string) => Promise<boolean>
}

export type InstallPlan = {
  /** All that could be written. */
  files: readonly string[]
  /** In this order. One that would change nothing is left out. */
  writes: readonly Write[]
  /** Shown above the question. */
  warning?: string | undefined
  /** What to do where a file cannot be written. */
  wayOut?: string
  /** Said when all is written, and when it was before. */
  done: readonly string[]
  /** Said when something was written and nothing keeps it from working. */
  effect?: string | undefined
  /** What else there is to know. */
  notes?: readonly string[]
  /** Settings under which it does not work, as sentences. */
  obstacles: readonly string[]
  /** True: `trailboss doctor` does not look at this place. */
  isElsewhere?: boolean
}

export type Write = {
  path: string
  after: string
  /** It has nothing of ours yet: what it is now is kept beside it. */
  keepsBefore: boolean
}

/** Instead of an install: a text for stdout. */
export type Printed = { print: string; obstacles: readonly string[] }

export type UninstallPlan = {
  /** All that could be changed. */
  files: readonly string[]
  /** In this order; without a text the file goes. */
  changes: readonly Removal[]
  /** Where it looked. */
  place: string
  /** Said when nothing was found there. */
  elsewhere?: string | undefined
  /** Directories of one parent that go, with those around them, if install made them and nothing else is in them. */
  made: readonly string[]
}

export type Removal = { path: string; after: string | undefined }
