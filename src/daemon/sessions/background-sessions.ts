import { isSamePane, type PaneRef } from '../../core/pane.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import type { Programs } from '../programs/programs.ts'
import type { StatusFollower } from '../status/status-follower.ts'

type BackgroundSessionsParts = {
  herd: Herd
  ingest: Ingest
  programs: Pick<Programs, 'found'>
  statuses: Pick<StatusFollower, 'originOf'>
}

/**
 * Sessions that run in the background. Each is seen in the pane of a program that shows it, for as long as that does:
 * it is a guest there, and outlives the pane. One that began in a pane continues what it was before.
 */
export class BackgroundSessions {
  readonly #parts: BackgroundSessionsParts

  constructor(parts: BackgroundSessionsParts) {
    this.#parts = parts
  }

  look(): void {
    for (const session of [...this.#parts.herd.current()]) {
      if (session.job === undefined || session.verdict.state === 'ended') continue
      const origin = this.#parts.statuses.originOf(session.job)
      this.#place(session, this.#viewerOf(session)?.pane ?? origin?.pane)
      if (!origin) continue
      this.#takeOver(session, origin.session)
      this.#endOrigin(session, origin.session)
    }
  }

  #place({ harness, id, pane: before }: Session, pane: PaneRef | undefined): void {
    if (pane ? isSamePane(before, pane) : before === undefined) return
    const about = { v: 1, harness, session: id, source: 'process', at: Date.now() } as const
    const detail = pane ? `pane ${pane.id} shows it` : 'no pane shows it any more'
    const place = { isGuest: true, ...(pane && { pane }) }
    this.#parts.ingest.own({ ...about, kind: 'seen', ...place, detail }, 'tailed')
  }

  /** One of several that show it stays the one. */
  #viewerOf({ harness, pane, job }: Session): FoundProgram | undefined {
    const viewers = [...this.#parts.programs.found()].filter(
      ({ adapter, view }) => adapter?.harness === harness && view?.job === job,
    )
    return viewers.find((one) => isSamePane(one.pane, pane)) ?? viewers[0]
  }

  /** Only now: while the job is being started, its human still waits for it where it was. */
  #endOrigin({ harness, job }: Session, before: string): void {
    const { herd, ingest } = this.#parts
    const origin = herd.session(sessionKey(harness, before))
    if (!origin || origin.verdict.state === 'ended') return
    const about = { v: 1, harness, session: before, source: 'status', at: Date.now() } as const
    ingest.own({ ...about, kind: 'ended', detail: `it went to the background as ${job}` }, 'tailed')
  }

  /**
   * Its transcript begins with its next prompt: until then, how its last turn ended is known from before. It waits
   * since it began here.
   */
  #takeOver({ harness, id, verdict, evidence }: Session, before: string): void {
    if (verdict.state !== 'unknown' || evidence.stops.transcript) return
    const { herd, ingest } = this.#parts
    const { stops = {} } = herd.session(sessionKey(harness, before))?.evidence ?? {}
    const [stop] = Object.values(stops).toSorted((a, b) => b.at - a.at)
    if (!stop) return
    const { ask, label, note } = stop
    const at = Math.max(stop.at, evidence.started?.at ?? 0)
    const about = { v: 1, harness, session: id, source: 'transcript' } as const
    ingest.own(
      {
        ...about,
        ...{ kind: 'stuck', reason: 'stopped', at: Math.ceil(herd.clock.toWall(at)) },
        ...(ask && { ask }),
        ...(label && { label }),
        ...(note !== undefined && { note }),
        detail: `continues session ${before}`,
      },
      'tailed',
    )
  }
}
