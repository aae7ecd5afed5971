import { messageOf, TrailBossError } from '../../core/errors.ts'
import { isUnchangedPane, type Pane } from '../../core/pane.ts'
import type { FailureCode } from '../../core/supervisor/runtime/failure-code.ts'
import {
  launchedRuntime,
  type RuntimeAction,
  type RuntimeOutcome,
  reconcileStep,
  startedRuntime,
  stoppedRuntime,
} from '../../core/supervisor/runtime/reconcile.ts'
import type { Relaunch } from '../../core/supervisor/runtime/restart.ts'
import {
  isAtRest,
  paneIn,
  type Runtime,
  withoutSession,
  withPane,
} from '../../core/supervisor/runtime/runtime.ts'
import type { KeyedMutex } from '../../service/keyed-mutex.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import { type AuditEntry, audit, OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import { type AgentTerminator, closePane } from './agent-terminator.ts'
import type { FirstPrompts } from './first-prompts.ts'
import type { Launcher, LaunchResult } from './launcher.ts'
import type { Registry } from './registry.ts'
import { failureOf, itemOf } from './runtime-item.ts'
import type { PaneObservation, RuntimeObserver } from './runtime-observer.ts'
import type { RuntimeScreens } from './runtime-screens.ts'

export type RuntimeReconcilerParts = {
  context: SupervisorContext
  registry: Registry
  mutex: KeyedMutex
  observer: RuntimeObserver
  launcher: Launcher
  terminator: AgentTerminator
  firstPrompts: FirstPrompts
  screens: Pick<RuntimeScreens, 'keep'>
  tokens: { revoke(runtimeId: string, why: string): void }
  planOf(runtime: Runtime): AgentPlan
  /** Whether a delivery controls its process. */
  isDelivering(runtimeId: string): boolean
  /** Whether its harness can resume its session. */
  canResume(runtime: Runtime): boolean
  /** The runtime has changed: a delivery may continue. */
  changed(runtime: Runtime): void
}

/** Keeps runtimes as the registry says they should be: compares, launches, ends, gives up. */
export class RuntimeReconciler {
  readonly #parts: RuntimeReconcilerParts

  constructor(parts: RuntimeReconcilerParts) {
    this.#parts = parts
  }

  /** Compares all of them with tmux once. */
  async reconcile(): Promise<void> {
    const { registry, observer, mutex, context } = this.#parts
    const runtimes = registry.list().filter(({ status }) => status !== 'stopped')
    if (runtimes.length === 0) return
    const seen = await observer.look(runtimes, () => context.clock.now())
    await Promise.all(
      runtimes.map((runtime) => {
        const { runtimeId, agentId } = runtime
        const observed = seen.get(runtimeId)
        // A failure with one of them must not affect the others.
        const failed = (error: unknown) =>
          context.log.error({ agent: agentId, reason: messageOf(error) }, 'reconcile failed')
        return (
          observed && mutex.run(runtimeId, () => this.#reconcile(runtime, observed)).catch(failed)
        )
      }),
    )
  }

  /** Whether a change is expected that is worth a look soon. */
  get isExpecting(): boolean {
    const { registry } = this.#parts
    return registry.list().some(({ status }) => status === 'starting' || status === 'stopping')
  }

  start(runtimeId: string, by: string): Promise<Runtime> {
    return this.#parts.mutex.run(runtimeId, async () => {
      const { registry, context, launcher } = this.#parts
      const runtime = registry.find(runtimeId)
      if (!runtime) throw gone()
      launcher.check(runtime)
      const outcome = startedRuntime(runtime, context.clock.now(), context.settings)
      await this.#carryOut(runtime, outcome, { kind: 'runtime_started', actor: by })
      return registry.find(runtimeId) ?? outcome.runtime
    })
  }

  /** `restartBy` wants it restarted once it has stopped. */
  stop(runtimeId: string, by: string, restartBy?: string): Promise<Runtime> {
    return this.#parts.mutex.run(runtimeId, async () => {
      const { registry, context } = this.#parts
      const runtime = registry.find(runtimeId)
      if (!runtime) throw gone()
      const outcome = stoppedRuntime(runtime, restartBy, context.clock.now(), context.settings)
      await this.#carryOut(runtime, outcome, { kind: 'runtime_stopped', actor: by })
      return registry.find(runtimeId) ?? outcome.runtime
    })
  }

  /** Throws if it could not be started: then it must not be stopped for a restart either. */
  requireStartable(runtime: Runtime): void {
    this.#parts.launcher.check(runtime)
  }

  /** For a delivery: launches a process in place of one that is gone. Returns how that went. */
  async relaunch(
    runtime: Runtime,
    how: Relaunch,
    prompt: string | undefined,
  ): Promise<'done' | 'refused' | 'unknown'> {
    const { launcher, context } = this.#parts
    const launched = await launcher.launch(runtime, how, { prompt, instead: paneIn(runtime) })
    if (launched.kind !== 'opened') {
      const before = paneIn(runtime)
      if (before) this.#update(runtime, (latest) => withPane(latest, before))
      context.log.warn({ agent: runtime.agentId, why: launched.why }, 'launch failed')
      return launched.kind
    }
    this.#update(runtime, (latest) =>
      withPane(how === 'spawn' ? withoutSession(latest) : latest, launched.pane),
    )
    return 'done'
  }

  async #reconcile(lookedAt: Runtime, seen: PaneObservation): Promise<void> {
    const { registry, context, isDelivering, canResume } = this.#parts
    const { runtimeId } = lookedAt
    // In the meantime it may have got another pane than the one we looked at.
    const latest = (): Runtime | undefined => {
      const found = registry.find(runtimeId)
      return found && isUnchangedPane(paneIn(found), paneIn(lookedAt)) ? found : undefined
    }
    const before = latest()
    const hasEnded = seen.pane === 'dead' || seen.pane === 'exited'
    if (before && hasEnded && !isAtRest(before) && before.status !== 'offline') {
      await this.#parts.screens.keep(before).catch(() => undefined)
      // First of all: nobody would look at its pane once it has stopped.
      if (before.status === 'stopping') await closePane(before)
    }
    const runtime = latest()
    if (!runtime) return
    const observed = {
      ...seen,
      isSessionKept: seen.pane === 'here' || canResume(runtime),
      isDelivering: isDelivering(runtimeId),
    }
    const outcome = reconcileStep(runtime, observed, context.clock.now(), context.settings)
    const hasSession = outcome.act.kind === 'launch' && outcome.act.how === 'resume'
    await this.#carryOut(runtime, outcome, {
      kind: outcome.code === 'REGISTRY_DRIFT' ? 'registry_drift' : 'runtime_restarted',
      actor: OURSELVES,
      ...(outcome.act.kind === 'launch' && { detail: hasSession ? 'resume' : 'spawn' }),
    })
  }

  /** Stores first, then acts. */
  async #carryOut(
    before: Runtime,
    outcome: RuntimeOutcome,
    { kind, actor, detail }: Pick<AuditEntry, 'kind' | 'actor' | 'detail'>,
  ): Promise<void> {
    const { registry, context, changed } = this.#parts
    const { act, code } = outcome
    const runtime = withCause(before, outcome)
    const hasMoved = JSON.stringify(before) !== JSON.stringify(runtime)
    const isTold = act.kind === 'launch' || code === 'REGISTRY_DRIFT' || actor !== OURSELVES
    if (hasMoved) {
      registry.change(() => {
        registry.save(runtime)
        if (isTold)
          this.#audit(runtime, { kind, actor, ...(detail && { detail }), result: code ?? 'ok' })
        this.#auditLoss(before, runtime, code)
      })
      context.log.info(
        { agent: runtime.agentId, from: before.status, to: runtime.status, code },
        'runtime changed',
      )
      this.#follow(runtime)
    }
    if (hasMoved && runtime.status === 'stopped') await closePane(before)
    await this.#act(before, runtime, act)
    if (hasMoved) changed(runtime)
  }

  async #act(before: Runtime, runtime: Runtime, act: RuntimeAction): Promise<void> {
    switch (act.kind) {
      case 'none':
        return
      case 'stop':
        return this.#parts.terminator.end(runtime, act.manner)
      case 'launch':
        return this.#launch(runtime, act.how, before)
      default:
        return act satisfies never
    }
  }

  async #launch(runtime: Runtime, how: Relaunch, before: Runtime): Promise<void> {
    const { registry, context, firstPrompts } = this.#parts
    const launched = await this.#tryToLaunch(runtime, how, paneIn(before))
    if (launched.kind === 'opened') {
      this.#update(runtime, (latest) => withPane(latest, launched.pane))
      return
    }
    const { kind, why } = launched
    context.log.warn({ agent: runtime.agentId, why }, 'launch failed')
    firstPrompts.forget(runtime.runtimeId)
    registry.change(() => {
      this.#update(runtime, (latest) => {
        const failed: Runtime = { ...latest, lastFailure: { code: 'SPAWN_FAILED', why } }
        if (kind === 'unknown') return failed
        const pane = paneIn(before)
        const inPlace = pane ? withPane(failed, pane) : failed
        return launchedRuntime(inPlace, undefined, context.clock.now(), context.settings)
      })
      const result = kind === 'unknown' ? kind : 'SPAWN_FAILED'
      this.#audit(runtime, {
        kind: 'runtime_restart_failed',
        actor: OURSELVES,
        result,
        detail: why,
      })
    })
  }

  async #tryToLaunch(
    runtime: Runtime,
    how: Relaunch,
    instead: Pane | undefined,
  ): Promise<LaunchResult> {
    const { launcher, context, firstPrompts, planOf } = this.#parts
    try {
      const { prompt } = planOf(runtime)
      const isNew = how === 'spawn' || runtime.sessionId === undefined
      const until = context.clock.now() + context.settings.delivery.launchAckMs
      const first =
        prompt !== undefined && isNew
          ? firstPrompts.begin(runtime.runtimeId, prompt, until)
          : undefined
      return await launcher.launch(runtime, how, { prompt: first, instead })
    } catch (error) {
      return { kind: 'refused', why: messageOf(error) }
    }
  }

  /** Its session may have reported itself during the launch. */
  #update({ runtimeId }: Runtime, change: (latest: Runtime) => Runtime): void {
    const { registry } = this.#parts
    registry.change(() => {
      const latest = registry.find(runtimeId)
      if (latest) registry.save(change(latest))
    })
  }

  /** At the start: puts runtimes that have failed for good back into the queue. */
  recover(): void {
    const { registry, context } = this.#parts
    for (const runtime of registry.list()) {
      if (runtime.status !== 'given-up') continue
      if (!context.escalations.isRaised(itemOf(runtime))) this.#follow(runtime)
    }
  }

  #follow(runtime: Runtime): void {
    const { context, tokens, observer } = this.#parts
    const { runtimeId, status } = runtime
    if (status === 'given-up') {
      const dispatch = findDispatchOfRuntime(context.db, runtimeId)
      context.escalations.raise(failureOf(runtime, dispatch))
    } else context.escalations.end(itemOf(runtime), `the runtime is ${status}`, 'operator')
    if (!isAtRest(runtime)) return
    tokens.revoke(runtimeId, `its runtime has ${status === 'stopped' ? status : 'failed'}`)
    observer.forget(runtimeId)
  }

  #auditLoss(before: Runtime, runtime: Runtime, code: FailureCode | undefined): void {
    if (runtime.status === 'given-up' && before.status !== 'given-up') {
      const last = runtime.lastFailure
      this.#audit(runtime, {
        kind: 'runtime_failed',
        actor: OURSELVES,
        result: last?.code ?? code ?? 'failed',
        ...(last?.why !== undefined && { detail: last.why }),
      })
    } else if (code && code !== 'REGISTRY_DRIFT') {
      this.#audit(runtime, { kind: 'runtime_lost', actor: OURSELVES, result: code })
    }
  }

  #audit({ agentId, runtimeId }: Runtime, entry: AuditEntry): void {
    audit(this.#parts.context, { agentId, runtimeId, ...entry })
  }
}

/** Remembers the cause of the last failure, because failing for good says nothing about it. */
function withCause(before: Runtime, { runtime, code }: RuntimeOutcome): Runtime {
  const isNone = code === undefined || runtime.status === 'given-up'
  // The reason was reported when the pane could not be opened.
  const isKnown = before.status === 'starting' && before.pane === undefined
  return isNone || isKnown ? runtime : { ...runtime, lastFailure: { code } }
}

function gone(): TrailBossError {
  return new TrailBossError('NOT_FOUND', 'The runtime was deregistered meanwhile.')
}
