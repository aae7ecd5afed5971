import type { HookEnvelope } from '../../contract/envelope.ts'
import type { Habits } from '../../core/explain/missing-signals.ts'
import type { PaneRef } from '../../core/pane.ts'
import type { ScreenRule } from '../../core/screen/screen-rule.ts'
import type { SignalRule } from '../../core/screen/signals.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Site, Wiring } from '../wiring/wiring.ts'
import type { FolderTrust } from './folder-trust.ts'
import type { ManagedHarness } from './managed.ts'

/** The code that knows one harness. The daemon asks it, and knows nothing about harnesses itself. */
export type Adapter = {
  harness: string
  /** What a human calls it. */
  title: string
  /** Environment variables that determine where its files are. The daemon gets them. */
  variables?: readonly string[]
  /** What to say if no hook of a session arrives, and if it publishes nothing. */
  advice: {
    /** The transcript's path shows whose hooks they would be. `env` is our own. */
    hooks(transcript: string | undefined, env: Readonly<Record<string, string | undefined>>): string
    status?: string
  }
  /** What to say about it when explaining one of its sessions. */
  habits: Habits
  /** Empty if the hook says nothing about waiting. Throws `BAD_EVENT` if it is not this harness's. */
  hookEvents(hook: Hook): AgentEvent[]
  /** Folds a session's transcript, one record at a time. Absent: the harness has none that we read. */
  transcript?: TranscriptReader
  /** How to find the transcript of a runtime without hooks. Absent: we cannot, or another source names it. */
  transcriptFiles?: TranscriptFiles
  /** Where the harness publishes its own state. Absent: it does not. */
  status?: StatusSource
  /** Whether a process is the harness. The name is not enough if an interpreter runs it. */
  isProcess?(process: { name: string; argv: readonly string[] }): boolean
  /** The same, but also true if nobody sits in front of it. Absent: there is no visible difference. */
  isProgram?(process: { name: string; argv: readonly string[] }): boolean
  /**
   * For a harness where one process runs sessions that others show. Absent: each session runs in the process
   * that shows it.
   */
  sharedDaemon?: SharedDaemon
  /** For a harness that can run sessions in the background. Absent: each session runs in a terminal. */
  background?: BackgroundSessions
  /** Variables that it sets for what it runs; `*` at the end stands for the rest of a name. No runtime inherits them. */
  childVariables?: readonly string[]
  /** How to read its screen. Absent: we do not. */
  screenRules?: readonly ScreenRule[]
  /** Lines of its screen that show what it does. Absent: only the ones that all programs share count. */
  signals?: readonly SignalRule[]
  /**
   * What it calls a session, by the title that it has set for its pane. Undefined if the title names no session.
   * Absent: its titles never do.
   */
  sessionTitle?(paneTitle: string): string | undefined
  /** How to make it run the emitter. Absent: `trailboss install` does not know it. */
  wiring?: Wiring
  /** How to run it in a pane of ours. Absent: not possible. */
  managed?: ManagedHarness
  /** Whether its user trusts it in this folder, a real path. Reads only. Absent: it asks for no trust. */
  trust?(folder: string, site: Pick<Site, 'env' | 'home' | 'read'>): FolderTrust
}

export type WiredAdapter = Adapter & { wiring: Wiring }
export type ManagedAdapter = Adapter & { managed: ManagedHarness }

/** An envelope whose pane claim was parsed; `payload` is still the harness's own. */
export type Hook = Pick<
  HookEnvelope,
  'at' | 'pid' | 'entrypoint' | 'runner' | 'job' | 'payload'
> & {
  pane?: PaneRef
  /** The agent's process as it is now; absent if it is not visible. */
  process?: { argv: readonly string[]; hasTerminal: boolean }
}

/** What an event says about a session, apart from its origin. */
export type Claim = Pick<AgentEvent, 'kind'> &
  Partial<
    Pick<
      AgentEvent,
      'reason' | 'label' | 'ask' | 'note' | 'prompt' | 'marks' | 'block' | 'subagent' | 'detail'
    >
  >

export type TranscriptReader<State = unknown> = {
  start(session: string): State
  /** The state after this record, and what it claims, if anything. Does not change `state`. */
  read(state: State, record: unknown): { state: State; event?: AgentEvent }
  /** Whether earlier lines of the file would say more about its current state. */
  isLacking(state: State): boolean
}

/** Where a harness keeps its transcripts, and whose they are. */
export type TranscriptFiles = {
  /** The variables that say where. */
  variables: readonly string[]
  isTranscript(path: string): boolean
  /** Files that may have been written since then, by whichever program of the user's. */
  writtenSince(env: Readonly<Record<string, string | undefined>>, since: number): string[]
  /** The session, by the first record of its file; undefined if it is headless or a helper's. */
  sessionIn(first: unknown): string | undefined
}

/** How to find out which of several terminals shows a session that runs elsewhere. */
export type SharedDaemon = {
  /** Whether it runs sessions that other processes show. */
  isDaemon(process: { name: string; argv: readonly string[] }): boolean
  /** Whether a process of the harness shows such sessions, judged by its arguments. */
  isTerminal(argv: readonly string[]): boolean
  /** The variables that determine the harness's home. */
  variables: readonly string[]
  homeFor(env: Readonly<Record<string, string | undefined>>): string | undefined
  homeOf(transcript: string): string | undefined
  /** The file with the names of sessions, and how to parse it. */
  namesFile(home: string): string
  namesIn(text: string): Map<string, string>
  /** The directory with a file for every open session, and which session a file is for. */
  openDirectory(home: string): string
  openIn(fileName: string): string | undefined
  /** Undefined if it is not certain. */
  terminalOf<S extends SharedTerminal>(
    session: SharedSession,
    others: readonly SharedSession[],
    terminals: readonly S[],
  ): S | undefined
}

/** Sessions that run in no terminal, as jobs, and how a human gets in front of them. */
export type BackgroundSessions = {
  /**
   * What a process of the harness shows if it runs no session itself. Undefined: it does run one. `job` is left out
   * if its arguments do not say which. Absent: what its terminals show is found out in another way.
   */
  viewOf?(argv: readonly string[]): { job?: string } | undefined
  /**
   * The command that shows the job in a terminal. `program` is the harness's own file, if that is known, and `argv` are
   * the arguments of the process that runs the job.
   */
  openCommand(session: {
    job: string
    program: string | undefined
    argv: readonly string[]
    transcript: string | undefined
    home: string | undefined
  }): string[]
}

/** A terminal that may show a session. `startedAt` is epoch ms. */
export type SharedTerminal = { title: string; startedAt: number; argv: readonly string[] }

/** A session that some terminal may show, by its id. */
export type SharedSession = { id: string; name?: string | undefined; cwd?: string | undefined }

/** One file per process, in a directory that depends on the harness's own variables. */
export type StatusSource = {
  /** The variables that determine the place. */
  variables: readonly string[]
  /** A relative path starts in the working directory of the process with these variables. */
  directory(env: Readonly<Record<string, string | undefined>>): string | undefined
  /** The directory for the session with this transcript. */
  directoryFor(transcript: string): string | undefined
  fileFor(pid: number): string
  /** The inverse, for the name of a status file. */
  pidOf(name: string): number
  isStatusFile(name: string): boolean
  /** Why there may be no file although all is well. */
  whyNone: string
  /** `path` shows where other files of the same harness are. */
  read(text: string, path: string): StatusReading
}

export type StatusReading =
  | {
      ok: true
      pid: number
      /** When that process started, in the kernel's ticks: identifies a file left by a killed process. */
      pidStart: number | undefined
      session: string
      /** First the start of the process, then its state. None: it is nobody's session yet. */
      events: AgentEvent[]
      /** The job that the process shows in its terminal instead of a session of its own. */
      showsJob?: string
      /** It may be over in a moment: the harness shows it between two turns. */
      isBrief: boolean
    }
  | { ok: false; why: string; version?: string }
