import type { HookEnvelope } from '../../contract/envelope.ts'
import type { Habits } from '../../core/explain/missing-signals.ts'
import type { PaneRef } from '../../core/pane.ts'
import type { ScreenRule } from '../../core/screen/screen-rule.ts'
import type { SignalRule } from '../../core/screen/signals.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Wiring } from '../wiring/wiring.ts'
import type { ManagedHarness } from './managed.ts'

/** The code that knows one harness. The daemon asks it, and knows nothing of harnesses itself. */
export type Adapter = {
  harness: string
  /** What a human calls it. */
  title: string
  /** Environment variables that say where it has its files. The daemon gets them. */
  variables?: readonly string[]
  /** What to say when no hook of a session arrives, and when it publishes nothing. */
  advice: {
    /** The place of the transcript shows whose hooks they would be. `env` is our own. */
    hooks(transcript: string | undefined, env: Readonly<Record<string, string | undefined>>): string
    status?: string
  }
  /** What to say of it where one of its sessions is explained. */
  habits: Habits
  /** Empty when the hook says nothing about waiting. Throws `BAD_EVENT` when it is not this harness's. */
  hookEvents(hook: Hook): AgentEvent[]
  /** Folds a session's transcript, one record at a time. Absent: the harness has none that we read. */
  transcript?: TranscriptReader
  /** Where the harness publishes its own state. Absent: it does not. */
  status?: StatusSource
  /** Whether a process is the harness. Its name says little where an interpreter runs it. */
  isProcess?(process: { name: string; argv: readonly string[] }): boolean
  /** The same, but also where nobody sits in front of it. Absent: there is no difference to be seen. */
  isProgram?(process: { name: string; argv: readonly string[] }): boolean
  /** Where one process runs sessions that others show. Absent: each session runs in the process that shows it. */
  seating?: Seating
  /** How its screen is read. Absent: it is not. */
  screenRules?: readonly ScreenRule[]
  /** Lines of its screen that show what it does. Absent: only those that mean the same everywhere count. */
  signals?: readonly SignalRule[]
  /** How it is made to run the emitter. Absent: `trailboss install` does not know it. */
  wiring?: Wiring
  /** How it is run in a pane of ours. Absent: it cannot be. */
  managed?: ManagedHarness
}

export type WiredAdapter = Adapter & { wiring: Wiring }

/** An envelope whose pane claim was parsed; `payload` is still the harness's own. */
export type Hook = Pick<HookEnvelope, 'at' | 'pid' | 'entrypoint' | 'payload'> & {
  pane?: PaneRef
  /** The agent's process as it is now; absent when it cannot be seen. */
  process?: { argv: readonly string[]; hasTerminal: boolean }
}

/** What an event says of a session, apart from where it comes from. */
export type Claim = Pick<AgentEvent, 'kind'> &
  Partial<
    Pick<
      AgentEvent,
      'reason' | 'label' | 'ask' | 'note' | 'prompt' | 'marks' | 'block' | 'subagent' | 'detail'
    >
  >

export type TranscriptReader<State = unknown> = {
  start(session: string): State
  /** The state after this record, and what it claims, if anything. `state` is not changed. */
  read(state: State, record: unknown): { state: State; event?: AgentEvent }
  /** Whether what stands further up in the file would tell more of how it is now. */
  isLacking(state: State): boolean
}

/** How to tell which of several terminals shows a session that runs elsewhere. */
export type Seating = {
  /** Whether it runs sessions that other processes show. */
  isServer(process: { name: string; argv: readonly string[] }): boolean
  /** Whether a process of the harness shows such sessions, by what it was started with. */
  isSeat(argv: readonly string[]): boolean
  /** The variables that say where the harness has its home. */
  variables: readonly string[]
  homeFor(env: Readonly<Record<string, string | undefined>>): string | undefined
  homeOf(transcript: string): string | undefined
  /** The file in which sessions have names, and what it says. */
  namesFile(home: string): string
  namesIn(text: string): Map<string, string>
  /** Where there is a file for every session that is open, and which one it is for. */
  openDirectory(home: string): string
  openIn(fileName: string): string | undefined
  /** Undefined where it cannot be told for sure. */
  seatOf<S extends Seat>(
    sitter: Sitter,
    others: readonly Sitter[],
    seats: readonly S[],
  ): S | undefined
}

/** A terminal that may show a session. `startedAt` is epoch ms. */
export type Seat = { title: string; startedAt: number }

/** A session that some terminal may show, by its id. */
export type Sitter = { id: string; name?: string | undefined; cwd?: string | undefined }

/** One file per process, in a directory that depends on the harness's own variables. */
export type StatusSource = {
  /** The variables that say where. */
  variables: readonly string[]
  /** One that is not absolute starts where the process with these variables runs. */
  directory(env: Readonly<Record<string, string | undefined>>): string | undefined
  /** The directory for the session whose transcript this is. */
  directoryFor(transcript: string): string | undefined
  fileFor(pid: number): string
  /** The other way round, for the name of a status file. */
  pidOf(name: string): number
  isStatusFile(name: string): boolean
  /** Why there may be no file although all is well. */
  whyNone: string
  /** `path` tells where other files of the same harness are. */
  read(text: string, path: string): StatusReading
}

export type StatusReading =
  | {
      ok: true
      pid: number
      /** When that process started, in the kernel's ticks: tells a file that a killed one left. */
      pidStart: number | undefined
      session: string
      /** When the process started, then how it is. */
      events: AgentEvent[]
      /** It may be over in a moment: the harness shows it between two turns. */
      isBrief: boolean
    }
  | { ok: false; why: string; version?: string }
