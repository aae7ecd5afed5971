import type { Screen } from '../../core/screen/screen.ts'
import type { SessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { openBlocks } from '../../core/session/evidence.ts'
import type { Session } from '../../core/session/session.ts'
import { asksSeveralThings } from '../../core/session/verdict.ts'
import { readingOf } from '../../harness/screen/screen-reading.ts'
import type { ScreenReader } from '../../harness/screen-reader.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'

/** Hook and transcript report a wait within this time, or never. */
const ASK_DELAY_MS = 600
const MOST_LOOKS = 5

/** Sessions that wait according to their harness, while only the screen shows what for. */
export class MissingAsks {
  readonly #herd: Herd
  readonly #ingest: Ingest
  readonly #screens: ScreenReader
  /** How many looks a session's screen got for the ask of the wait that began then. */
  readonly #looked = new Map<SessionKey, { since: number; looks: number }>()

  constructor({ herd, ingest, screens }: { herd: Herd; ingest: Ingest; screens: ScreenReader }) {
    this.#herd = herd
    this.#ingest = ingest
    this.#screens = screens
  }

  /** Sessions whose screen should be looked at now. */
  due(): Session[] {
    return [...this.#herd.current()].filter((session) => this.#lacksAsk(session))
  }

  /** `screen` is undefined if it could not be read. */
  take({ key, id, harness, evidence }: Session, screen: Screen | undefined): void {
    const since = evidence.status?.at ?? 0
    const before = this.#looked.get(key)
    const looks = before?.since === since ? before.looks + 1 : 1
    this.#looked.set(key, { since, looks })
    const reading = screen && readingOf(this.#screens.read(harness, screen))
    if (reading?.claim !== 'stuck' || reading.reason !== 'permission') return
    // The ask may have been answered while tmux captured the screen.
    const now = this.#herd.session(key)?.evidence
    if (now?.status?.at !== since) return
    const { claim: _, ...shown } = reading
    const about = { v: 1, harness, session: id, source: 'screen', at: Date.now() } as const
    const event = { ...about, kind: 'stuck', ...shown } as const
    const { ask } = withoutSecrets(event)
    if (now.screen && now.screen.at >= since && now.screen.ask?.text === ask?.text) return
    this.#ingest.own(event, 'tailed')
  }

  #lacksAsk({ key, verdict, evidence, pane }: Session): boolean {
    if (verdict.state !== 'stuck' || verdict.by !== 'status' || !pane) {
      this.#looked.delete(key)
      return false
    }
    const { status, screen, pending } = evidence
    if (verdict.reason !== 'permission' || !status) return false
    const isOld = this.#herd.clock.now() - status.at >= ASK_DELAY_MS
    if (asksSeveralThings(evidence)) return isOld
    if (openBlocks(evidence).length > 0) return false
    if (screen && screen.at >= status.at) return false
    if (status.ask === undefined && pending?.asks.length) return false
    const looked = this.#looked.get(key)
    if (looked?.since === status.at && looked.looks >= MOST_LOOKS) return false
    return isOld
  }
}
