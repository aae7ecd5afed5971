import { messageOf } from '../../core/errors.ts'
import { isOver } from '../../core/supervisor/dispatch/dispatch.ts'
import { DEFAULT_POLICY, type TriagePolicy } from '../../core/supervisor/policy.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import {
  dialogTriage,
  hungTriage,
  NO_TRIAGE,
  type TriageOutcome,
} from '../../core/supervisor/triage.ts'
import { IN_HAND } from '../../core/supervisor/trigger/trigger.ts'
import type { KeyedMutex } from '../../service/keyed-mutex.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import { pressKey } from '../../tmux/write/guarded-write.ts'
import { audit, OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import type { Registry } from '../runtimes/registry.ts'
import { itemOf } from '../runtimes/runtime-item.ts'
import type { AgentLook, AgentObserver } from './agent-observer.ts'
import { hangOf } from './hang-item.ts'

export type RuntimeTriageParts = {
  context: SupervisorContext
  registry: Registry
  observer: AgentObserver
  /** The lock on runtimes: nobody else writes there in the meantime. */
  mutex: KeyedMutex
  planOf(runtime: Runtime): AgentPlan
}

/**
 * Helps agents that stall, as their policy allows: wakes one that hangs, takes a one-time yes. One that still hangs
 * is put into the queue: a harness that publishes its state goes on saying that it works. A running dispatch does
 * that for its own agent. The queue lists everything else by itself.
 */
export class RuntimeTriage {
  readonly #parts: RuntimeTriageParts

  constructor(parts: RuntimeTriageParts) {
    this.#parts = parts
  }

  async look(): Promise<void> {
    const { registry, context } = this.#parts
    const stalled = registry.list().filter((runtime) => this.#mayNeedHelp(runtime))
    const others = registry.list().filter((runtime) => !stalled.includes(runtime))
    for (const runtime of others) {
      if (this.#hasGoneOn(runtime)) this.#remember(runtime, NO_TRIAGE)
      if (runtime.status === 'ready')
        context.escalations.end(itemOf(runtime), 'it goes on', 'itself')
    }
    for (const runtime of stalled) {
      await this.#help(runtime).catch((error) =>
        context.log.error({ agent: runtime.agentId, reason: messageOf(error) }, 'triage failed'),
      )
    }
  }

  #mayNeedHelp(runtime: Runtime): boolean {
    const { context, observer } = this.#parts
    if (runtime.status !== 'ready') return false
    const dispatch = findDispatchOfRuntime(context.db, runtime.runtimeId)
    if (dispatch && !isOver(dispatch)) return false
    const verdict = observer.sessionOf(runtime)?.verdict
    const asks = verdict?.state === 'stuck' && verdict.reason === 'permission'
    return asks ? this.#policyOf(runtime) !== 'escalate' : observer.diagnosisOf(runtime) === 'hung'
  }

  /** The last key had its effect: the next stall counts its own. */
  #hasGoneOn(runtime: Runtime): boolean {
    const isWorking = this.#parts.observer.sessionOf(runtime)?.verdict.state === 'working'
    return isWorking && runtime.triage?.pressed?.hadEffect === false
  }

  #help(runtime: Runtime): Promise<void> {
    return this.#parts.mutex.run(runtime.runtimeId, async () => {
      const { context, registry, observer } = this.#parts
      const { runtimeId } = runtime
      if (listTriggers(context.db, { runtimeId, states: IN_HAND }).length > 0) return
      const look = await observer.look(runtime)
      const latest = registry.find(runtimeId)
      if (latest?.status !== 'ready') return
      const { memory, act } = this.#outcome(latest, look)
      this.#remember(latest, memory)
      this.#escalate(latest, look, act)
      const pane = paneIn(latest)
      if (act.kind !== 'press' || !pane) return
      const pressed = await pressKey(pane, act.key, look.shown?.cursor)
      audit(context, {
        kind: 'key_pressed',
        actor: OURSELVES,
        agentId: latest.agentId,
        runtimeId,
        result: pressed.kind === 'sent' ? 'ok' : `${pressed.kind}: ${pressed.why}`,
        detail: `${act.key} (${act.as})`,
      })
    })
  }

  /** A session that is stuck is in the queue already. */
  #escalate(runtime: Runtime, { session, shown }: AgentLook, act: TriageOutcome['act']): void {
    const { escalations } = this.#parts.context
    const about = itemOf(runtime)
    const isAlone = act.kind === 'escalate' && session?.verdict.state !== 'stuck'
    if (isAlone && !escalations.isRaised(about)) escalations.raise(hangOf(runtime, shown))
    if (!isAlone && act.kind !== 'wait') escalations.end(about, 'it goes on', 'itself')
  }

  #outcome(runtime: Runtime, look: AgentLook): TriageOutcome {
    const { context } = this.#parts
    const memory = runtime.triage ?? NO_TRIAGE
    const allowed = { policy: this.#policyOf(runtime), rules: context.settings }
    const verdict = look.session?.verdict
    const now = context.clock.now()
    if (verdict?.state === 'stuck' && verdict.reason === 'permission') {
      return dialogTriage(memory, look, now, allowed)
    }
    if (look.diagnosis === 'hung') return hungTriage(memory, look, now, allowed)
    return { memory, act: { kind: 'wait' } }
  }

  #remember(runtime: Runtime, triage: NonNullable<Runtime['triage']>): void {
    const { registry } = this.#parts
    if (JSON.stringify(runtime.triage ?? NO_TRIAGE) === JSON.stringify(triage)) return
    registry.change(() => registry.save({ ...runtime, triage }))
  }

  /** Nothing may be pressed for an agent that the configuration no longer names. */
  #policyOf(runtime: Runtime): TriagePolicy {
    try {
      return this.#parts.planOf(runtime).policy
    } catch {
      return DEFAULT_POLICY
    }
  }
}
