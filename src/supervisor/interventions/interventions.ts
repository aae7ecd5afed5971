import { messageOf } from '../../core/errors.ts'
import type { AgentEvent, SessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import type { Entry } from '../../core/session/state.ts'
import type { Verdict } from '../../core/session/verdict.ts'
import { labelOf } from '../../core/session/wait-label.ts'
import {
  hasOpenPrompts,
  type Intervention,
  interventionBetween,
  interventionText,
  type Prompts,
  SAME_PROMPT_MS,
  settledPrompts,
  withPromptReport,
} from '../../core/supervisor/intervention.ts'
import { isWanted, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { fallbackIn } from '../../core/supervisor/trigger/trigger.ts'
import { inTransaction } from '../../store/database/database.ts'
import { eventsSince } from '../../store/log/received-events.ts'
import { listAudit } from '../../store/tables/audit.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { audit, type SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import type { Registry } from '../runtimes/registry.ts'

export type InterventionsParts = {
  context: SupervisorContext
  registry: Registry
  herd: Pick<Herd, 'session' | 'current'>
  bridge: Pick<Bridge, 'ensureThread' | 'postSystem'>
}

/** Our own keys take effect within this time. */
const OWN_KEY_MS = 15_000

/**
 * Notices what the operator does in the panes of agents, whichever source shows it, and reports it to the
 * orchestrator: one message for each intervention that none of our prompts and keys explains.
 */
export class Interventions implements Disposable {
  readonly #parts: InterventionsParts
  readonly #verdicts = new Map<SessionKey, Verdict>()
  readonly #prompts = new Map<string, Prompts>()
  #startedAt = 0
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(parts: InterventionsParts) {
    this.#parts = parts
  }

  /** Prompts that an earlier run of the daemon stored just before it ended, and did not report. */
  recover(): void {
    const { context, herd } = this.#parts
    for (const session of herd.current()) this.#verdicts.set(session.key, session.verdict)
    this.#startedAt = context.clock.now()
    const since = this.#startedAt - RECOVERED_MS
    for (const event of eventsSince(context.db, since)) this.#promptIn(event)
  }

  hear(updated: readonly Session[], entries: readonly Entry[]): void {
    for (const entry of entries) if (entry.type === 'event.received') this.#promptIn(entry.event)
    for (const session of updated) this.#changed(session)
  }

  forget(runtimeId: string): void {
    this.#prompts.delete(runtimeId)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #changed(session: Session): void {
    const { key, verdict } = session
    if (isOldInterruption(session)) return
    const before = this.#verdicts.get(key)
    if (verdict.state === 'ended') this.#verdicts.delete(key)
    else this.#verdicts.set(key, verdict)
    const done = before && interventionBetween(before, verdict)
    const runtime = done && this.#runtimeOf(session.harness, session.id)
    // A change from the verdict of an earlier process, which has died since, is nobody's doing.
    const isOfThisProcess = before !== undefined && before.since >= (runtime?.startedAt ?? 0)
    if (!runtime || !isOfThisProcess || this.#isOurKey(runtime)) return
    this.#report(runtime, done)
  }

  #promptIn({ harness, session, source, at, prompt, marks, subagent }: AgentEvent): void {
    const isOurs = marks !== undefined && marks.length > 0
    if (subagent !== undefined || (!prompt && !isOurs)) return
    const runtime = this.#runtimeOf(harness, session)
    if (!runtime || at < (runtime.startedAt ?? 0)) return
    const { runtimeId } = runtime
    const known = this.#prompts.get(runtimeId) ?? []
    const prompts = withPromptReport(known, { at, source, isOurs })
    this.#prompts.set(runtimeId, prompts)
    if (hasOpenPrompts(prompts)) this.#settleSoon(runtimeId)
  }

  /** A prompt is the operator's if no mark has claimed it in time. */
  #settleSoon(runtimeId: string): void {
    if (this.#timers.has(runtimeId)) return
    const timer = setTimeout(() => {
      this.#timers.delete(runtimeId)
      const { registry, context } = this.#parts
      const runtime = registry.find(runtimeId)
      const known = this.#prompts.get(runtimeId)
      if (!runtime || !known) return
      const { human, rest } = settledPrompts(known, context.clock.now())
      this.#prompts.set(runtimeId, rest)
      const fresh = human.filter((at) => !this.#isReported(runtime, at))
      for (const _ of fresh) this.#report(runtime, { kind: 'prompted' })
      if (hasOpenPrompts(rest)) this.#settleSoon(runtimeId)
    }, SAME_PROMPT_MS + MARGIN_MS)
    this.#timers.set(runtimeId, timer)
  }

  #report(runtime: Runtime, done: Intervention): void {
    const { context, bridge } = this.#parts
    const { db, workspaces, log } = context
    const { workspaceId, agentId, runtimeId } = runtime
    try {
      if (!workspaces.ids().includes(workspaceId)) return
      const orchestrator = workspaces.orchestratorOf(workspaceId)
      if (orchestrator === undefined || orchestrator === agentId) return
      const thread = bridge.ensureThread({
        workspaceId,
        name: 'operator',
        title: 'What the operator did in the panes of agents',
        participants: [orchestrator],
      })
      if (thread.state.kind !== 'open') return
      inTransaction(db, () => {
        const detail = done.kind
        const about = { actor: 'operator:local', agentId, runtimeId, threadId: thread.id }
        audit(context, { ...about, kind: 'operator_intervened', detail, result: 'ok' })
        bridge.postSystem(thread.id, interventionText(agentId, done), [orchestrator])
      })
    } catch (error) {
      log.warn({ reason: messageOf(error), agent: agentId }, 'intervention not reported')
    }
  }

  /** Whether an earlier run of the daemon, which ended before it could forget the prompt, has already reported it. */
  #isReported({ agentId }: Runtime, at: number): boolean {
    if (at >= this.#startedAt) return false
    const { db, clock } = this.#parts.context
    const wall = (time: number) => Math.round(clock.toWall(time))
    const when = { since: wall(at), until: wall(this.#startedAt) }
    const filter = { agentId, kinds: ['operator_intervened'] as const, ...when }
    return listAudit(db, filter, { limit: 50 }).lines.some(({ detail }) => detail === 'prompted')
  }

  /**
   * A key that policy pressed, or the end of its process for a delivery. Each is stored before it is done, so it is
   * known before its effect shows.
   */
  #isOurKey(runtime: Runtime): boolean {
    const { db, clock } = this.#parts.context
    const { runtimeId, triage } = runtime
    if (!isWanted(runtime)) return true
    const stops = listTriggers(db, { runtimeId, states: ['fallback'] }).map(
      (trigger) => fallbackIn(trigger)?.stoppedAt,
    )
    const dispatch = findDispatchOfRuntime(db, runtimeId)
    const acts = [triage?.pressed?.at, dispatch?.pressed?.at, ...stops]
    return acts.some((at) => at !== undefined && clock.now() - at < OWN_KEY_MS)
  }

  #runtimeOf(harness: string, session: string): Runtime | undefined {
    const { registry } = this.#parts
    return registry.list().find((one) => one.harness === harness && one.sessionId === session)
  }
}

/**
 * The screen may still show that an earlier turn was interrupted. If there are hooks, they say whether this one
 * was.
 */
function isOldInterruption({ verdict, evidence }: Session): boolean {
  if (verdict.state !== 'stuck' || verdict.by !== 'screen') return false
  return labelOf(verdict) === 'interrupted' && evidence.heard.hook !== undefined
}

const RECOVERED_MS = 60_000
const MARGIN_MS = 50
