import type { Emitter } from '../hook-install/emitter-command.ts'
import type { Check } from './check.ts'

/**
 * How to make a harness run the emitter, and how to undo that. It reads and plans; the caller shows the plan,
 * asks the user and writes.
 */
export type Wiring = {
  /** Nothing is written for a harness that nobody uses here. */
  isInUse(site: Site): boolean
  /** Idempotent. Everything else in a file stays the same, to the byte. */
  install: Step<InstallPlan | Printed>
  /** Removes what install added and nothing else; later changes by the user stay. Idempotent. */
  uninstall: Step<UninstallPlan>
  /** Reads the settings and changes nothing. Throws `BAD_USAGE` if they cannot be read. */
  check(site: Site): Check | Promise<Check>
  /** Whether a harness launched like that runs our hooks, according to its settings. Throws like `check`. */
  runsHooks(site: Site, launch: LaunchPlace): boolean
}

export type LaunchPlace = { cwd: string; args: readonly string[] }

type Step<Plan> = {
  /** For the help: what it does, beginning with a verb. */
  summary: string
  flags?: readonly Flag[]
  plan(site: Site, options: WiringOptions): Plan | Promise<Plan>
}

/** An option of the command: `--project <dir>`. The plan gets it as `project`. */
type Flag = { flag: string; help: string }

export type WiringOptions = Readonly<Record<string, string | boolean | undefined>>

/** What a wiring may read, and whom it may ask. */
export type Site = {
  env: NodeJS.ProcessEnv
  /** The user's home directory. */
  home: string
  emitter: Emitter
  /** Absolute path of the `trailboss` program. */
  launcher: string
  /** A settings file; undefined if it does not exist. Throws `BAD_USAGE` if it is not text. */
  read(path: string): string | undefined
  /** A file that may hold anything. */
  peek(path: string): string | undefined
  /** The content of a file before install first changed it, if we kept it. */
  before(path: string): string | undefined
  note(text: string): void
  /** Absent when nobody is there to answer. */
  confirm?: (question: string) => Promise<boolean>
}

export type InstallPlan = {
  /** All files that it might write. */
  files: readonly string[]
  /** In this order. A write that would change nothing is left out. */
  writes: readonly Write[]
  /** Shown above the question. */
  warning?: string | undefined
  /** What to do if a file cannot be written. */
  wayOut?: string
  /** Printed when everything is written, now or earlier. */
  done: readonly string[]
  /** Printed if something was written and nothing keeps it from working. */
  effect?: string | undefined
  /** What else there is to know. */
  notes?: readonly string[]
  /** Settings that keep it from working, as sentences. */
  obstacles: readonly string[]
  /** True: `trailboss doctor` does not check this place. */
  isElsewhere?: boolean
}

export type Write = {
  path: string
  after: string
  /** It has nothing of ours yet, so its current content is kept beside it. */
  keepsBefore: boolean
}

/** Instead of an install: a text for stdout. */
export type Printed = { print: string; obstacles: readonly string[] }

export type UninstallPlan = {
  /** All files that it might change. */
  files: readonly string[]
  /** In this order; a file without a text is removed. */
  changes: readonly Removal[]
  /** Where it looked. */
  place: string
  /** Printed if nothing was found there. */
  elsewhere?: string | undefined
  /** Directories of one parent to remove, along with their parents, if install created them and they are empty. */
  made: readonly string[]
}

export type Removal = { path: string; after: string | undefined }
