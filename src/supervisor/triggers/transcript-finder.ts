import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { isSamePane } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Mark } from '../../core/supervisor/trigger/mark.ts'
import type { Adapter, TranscriptFiles } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { directoryOf, environmentOf } from '../../process/environment.ts'
import { openFilesUnder } from '../../process/open-files.ts'
import { startedAtOf, startOf } from '../../process/process-state.ts'
import type { Herd } from '../context/herd.ts'
import { isProcessOf } from '../runtimes/orphan-processes.ts'
import type { Proofs } from './proofs.ts'

/** The transcript of a runtime, and the process that has it open. */
export type FoundTranscript = { session: string; path: string; pid: number }

/**
 * Finds the transcript of a runtime whose hooks do not name it, and reports it to the daemon's sessions. It never
 * guesses: it is the only one that a process of the runtime has open, or it holds a prompt with a mark that only
 * this runtime got.
 */
export class TranscriptFinder {
  readonly #herd: Herd
  readonly #proofs: Pick<Proofs, 'find'>
  /** The session of each file, which never changes. */
  readonly #sessions = new Map<string, string | undefined>()

  constructor(herd: Herd, proofs: Pick<Proofs, 'find'>) {
    this.#herd = herd
    this.#proofs = proofs
  }

  /** Undefined if hooks name it, or if it is not certain. `marks` belong to prompts that it may have taken. */
  async find(runtime: Runtime, marks: readonly Mark[]): Promise<FoundTranscript | undefined> {
    const pane = paneIn(runtime)
    const adapter = adapterFor(runtime.harness)
    const files = adapter?.transcriptFiles
    if (!pane || !files || this.#isHooked(runtime) || !isProcessOf(pane)) return undefined
    const shown = await this.#ownOf(files, openFilesUnder(pane.pid, files.isTranscript))
    const [only, ...others] = shown
    const found =
      only && others.length === 0 ? only : await this.#marked(adapter, pane.pid, shown, marks)
    if (found) this.#tell(runtime, found)
    return found
  }

  /**
   * Whether a session that its process has open took a prompt with this mark: a session that its operator has left
   * continues invisibly. Undefined if one cannot be read, or none is open.
   */
  async isTaken(runtime: Runtime, mark: Mark): Promise<boolean | undefined> {
    const pane = paneIn(runtime)
    const { transcriptFiles: files, transcript: reader } = adapterFor(runtime.harness) ?? {}
    if (!pane || !files || !reader || !isProcessOf(pane)) return undefined
    const shown = await this.#ownOf(files, openFilesUnder(pane.pid, files.isTranscript))
    const searches = shown.map(({ path, session }) =>
      this.#proofs.find(mark, { path, session, reader }),
    )
    const found = await Promise.all(searches)
    if (found.includes('found')) return true
    return found.length > 0 && found.every((one) => one === 'not-found') ? false : undefined
  }

  #isHooked({ harness, sessionId }: Runtime): boolean {
    if (sessionId === undefined) return false
    const session = this.#herd.session(sessionKey(harness, sessionId))
    return session?.transcript !== undefined && session.evidence.heard.hook !== undefined
  }

  /** Leaves out the transcripts of helpers, which a process also has open. */
  async #ownOf(
    files: TranscriptFiles,
    candidates: readonly { path: string; pid: number }[],
  ): Promise<FoundTranscript[]> {
    const own: FoundTranscript[] = []
    for (const { path, pid } of candidates) {
      const session = this.#sessions.get(path) ?? files.sessionIn(await firstRecord(path))
      this.#sessions.set(path, session)
      if (session !== undefined && isSessionId(session)) own.push({ session, path, pid })
    }
    return own
  }

  async #marked(
    adapter: Adapter,
    pid: number,
    shown: readonly FoundTranscript[],
    marks: readonly Mark[],
  ): Promise<FoundTranscript | undefined> {
    const { transcriptFiles: files, transcript: reader } = adapter
    if (marks.length === 0 || !files || !reader) return undefined
    const among = shown.length > 0 ? shown : await this.#ownOf(files, recentOf(files, pid))
    for (const one of among) {
      for (const mark of marks) {
        const told = { path: one.path, session: one.session, reader }
        if ((await this.#proofs.find(mark, told)) === 'found') return one
      }
    }
    return undefined
  }

  /** Only if pane or transcript are news. */
  #tell(runtime: Runtime, { session, path, pid }: FoundTranscript): void {
    const { harness } = runtime
    const pane = paneIn(runtime)
    const known = this.#herd.session(sessionKey(harness, session))
    const isPlaced = isSamePane(known?.pane, pane) && known?.verdict.state !== 'ended'
    if (!pane || (isPlaced && known?.transcript === path)) return
    const [start, cwd] = [startOf(pid), directoryOf(pid)]
    const event: AgentEvent = {
      ...{ v: 1, kind: 'seen', harness, session, at: this.#herd.clock.now(), source: 'process' },
      ...{ pane: { socket: pane.socket, id: pane.id, server: pane.server }, pid, transcript: path },
      ...(start !== undefined && { pidStart: start }),
      ...(cwd !== undefined && { cwd }),
      detail: 'the transcript of a runtime without hooks',
    }
    this.#herd.receive(withoutSecrets(event), { recovered: false })
  }
}

/** Transcripts written since the process started, by any program. */
function recentOf(files: TranscriptFiles, pid: number): { path: string; pid: number }[] {
  const since = startedAtOf(pid)
  if (since === undefined) return []
  const env = environmentOf(pid, files.variables)
  const isRecent = (path: string) =>
    (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since - CLOCK_SLACK_MS
  return files
    .writtenSince(env, since)
    .filter(isRecent)
    .map((path) => ({ path, pid }))
}

/** The kernel's start time of a process is accurate to about a second. */
const CLOCK_SLACK_MS = 2_000
const MOST_FIRST_BYTES = 1024 * 1024

/** Undefined if there is none yet. */
async function firstRecord(path: string): Promise<unknown> {
  try {
    await using file = await open(path, 'r')
    const bytes = Buffer.alloc(MOST_FIRST_BYTES)
    const { bytesRead } = await file.read(bytes, 0, MOST_FIRST_BYTES, 0)
    const text = bytes.toString('utf8', 0, bytesRead)
    return JSON.parse(text.slice(0, Math.max(0, text.indexOf('\n'))))
  } catch {
    return undefined
  }
}

function isSessionId(session: string): boolean {
  return /^[\w-]{1,200}$/.test(session)
}
