import type { DatabaseSync } from 'node:sqlite'
import type { MuteBody, MutesView } from '../../contract/notice.ts'
import type { SessionView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import { covers, isInForce, type Mute } from '../../core/notice/mute.ts'
import type { Session } from '../../core/session/session.ts'
import { forgetMute, readMutes, saveMute } from '../../store/tables/notices.ts'

export type MutesParts = {
  db: DatabaseSync
  sessions(): Iterable<Session>
  view(session: Session): SessionView
  find(target: string, socket?: string): Session
  harnesses: readonly string[]
}

/** What the operator wants no notices about. */
export class Mutes {
  readonly #parts: MutesParts
  #mutes: Mute[]

  constructor(parts: MutesParts) {
    this.#parts = parts
    this.#mutes = readMutes(parts.db)
  }

  inForce(wall = Date.now()): Mute[] {
    return this.#mutes.filter((mute) => isInForce(mute, wall))
  }

  /** Throws `NOT_FOUND` for a name that nothing known has, `AMBIGUOUS` for one that several agents have. */
  change({ target, ms, off, socket }: MuteBody): MutesView {
    const wall = Date.now()
    const { db } = this.#parts
    for (const mute of this.#mutes) if (!isInForce(mute, wall)) forgetMute(db, mute)
    const named = off ? this.#muted(target, socket) : this.#named(target, socket)
    const changed: Mute = off
      ? (named as Mute)
      : { ...named, until: ms === undefined ? null : wall + ms }
    if (off) forgetMute(db, changed)
    else saveMute(db, changed)
    this.#mutes = readMutes(db)
    return { mutes: this.inForce(wall), changed }
  }

  #muted(target: string, socket: string | undefined): Mute {
    const mutes = this.inForce()
    const found =
      mutes.find(({ name }) => name === target) ??
      mutes.find((mute) => isSame(mute, this.#known(target, socket)))
    if (found) return found
    throw new TrailBossError('NOT_FOUND', `"${target}" is not muted.`, {
      hint: 'See what is muted: trailboss mute',
    })
  }

  #named(target: string, socket: string | undefined): Named {
    const known = this.#known(target, socket)
    if (known) return known
    throw new TrailBossError(
      'NOT_FOUND',
      `No agent, project, harness, session or pane "${target}" is known.`,
      { hint: 'See what there is: trailboss sessions. "all" mutes everything.' },
    )
  }

  #known(target: string, socket: string | undefined): Named | undefined {
    if (target === 'all') return { kind: 'all', name: 'all' }
    const known = [...this.#parts.sessions()].map((session) => {
      const { project = null, ...view } = this.#parts.view(session)
      return { ...view, project }
    })
    const agent = agentNamed(
      target,
      known.flatMap((one) => one.agent ?? []),
    )
    if (agent !== undefined) return { kind: 'agent', name: agent }
    const project: Named = { kind: 'project', name: target }
    if (known.some((one) => covers(project, one))) return project
    const harness: Named = { kind: 'harness', name: target }
    const isHarness = this.#parts.harnesses.includes(target)
    if (isHarness || known.some((one) => covers(harness, one))) return harness
    try {
      return { kind: 'session', name: this.#parts.find(target, socket).id }
    } catch (error) {
      if (error instanceof TrailBossError && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }
}

/** By its whole name, or by its role alone. */
function agentNamed(target: string, agents: readonly string[]): string | undefined {
  if (agents.includes(target)) return target
  const [only, ...others] = new Set(agents.filter((agent) => agent.endsWith(`/${target}`)))
  if (others.length === 0) return only
  const all = [only, ...others].join(', ')
  throw new TrailBossError('AMBIGUOUS', `"${target}" may be any of these agents: ${all}.`, {
    hint: 'Give its whole name.',
  })
}

type Named = Pick<Mute, 'kind' | 'name'>

function isSame(mute: Mute, named: Named | undefined): boolean {
  return mute.kind === named?.kind && mute.name === named.name
}
