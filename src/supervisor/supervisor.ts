import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import { isSamePane } from '../core/pane.ts'
import { type AgentEvent, sessionKey } from '../core/session/event.ts'
import type { Session } from '../core/session/session.ts'
import { paneIn, type Runtime, withPane } from '../core/supervisor/runtime/runtime.ts'
import { IN_HAND, isSettled, ownsProcess } from '../core/supervisor/trigger/trigger.ts'
import { Turns } from '../service/keyed-mutex.ts'
import type { Log } from '../service/log.ts'
import { loop } from '../service/loop.ts'
import { findTriggerOfMark, listTriggers } from '../store/tables/triggers.ts'
import { type Bridge, createBridge } from './bridge/bridge.ts'
import { createTokens, type RuntimeTokens } from './bridge/tokens.ts'
import { audit, type SupervisorContext } from './context/context.ts'
import { createEscalations } from './context/escalations.ts'
import type { Herd, Monitor } from './context/herd.ts'
import { createWorkspaces } from './context/workspaces.ts'
import { createDispatchObserver } from './dispatch/dispatch-observer.ts'
import { planOfRuntime } from './dispatch/dispatch-plan.ts'
import { createDispatchViews, type DispatchViews } from './dispatch/dispatch-views.ts'
import { Dispatches } from './dispatch/dispatches.ts'
import { AgentTerminator } from './runtimes/agent-terminator.ts'
import { FirstPrompts } from './runtimes/first-prompts.ts'
import { createLauncher } from './runtimes/launcher.ts'
import { createPromptChannels } from './runtimes/prompt-channel.ts'
import { createRegistry, type Registry } from './runtimes/registry.ts'
import { paneOf, RuntimeObserver } from './runtimes/runtime-observer.ts'
import { RuntimeReconciler } from './runtimes/runtime-reconciler.ts'
import { createRuntimes, type Runtimes } from './runtimes/runtimes.ts'
import { triggerBy } from './triggers/agent-triggers.ts'
import { Deliverer } from './triggers/deliverer.ts'
import { reportIntervention } from './triggers/intervention.ts'
import { eventsWithMark, Proofs, proofIn } from './triggers/proofs.ts'
import { TargetObserver } from './triggers/target-observer.ts'
import { createTriggers, type Triggers } from './triggers/triggers.ts'
import { createUnreadPrompts, type UnreadPrompts } from './triggers/unread-prompts.ts'

export type SupervisorParts = {
  db: DatabaseSync
  herd: Herd
  config: Pick<Config, 'workspaces' | 'supervisor'>
  log: Log
  env: NodeJS.ProcessEnv
  /** The tmux server in which runtimes run. */
  socket: string
  monitor: Monitor
}

const SOON_MS = 500

/** Runs managed agents and brings them their prompts. It is only there where a workspace is configured. */
export class Supervisor implements AsyncDisposable {
  readonly context: SupervisorContext
  readonly registry: Registry
  readonly runtimes: Runtimes
  readonly triggers: Triggers
  readonly tokens: RuntimeTokens
  readonly bridge: Bridge
  readonly dispatches: Dispatches
  readonly dispatchViews: DispatchViews
  readonly #herd: Herd
  readonly #reconciler: RuntimeReconciler
  readonly #deliverer: Deliverer
  readonly #proofs = new Proofs()
  readonly #firstPrompts = new FirstPrompts()
  readonly #turns = new Turns()
  readonly #observer: TargetObserver
  readonly #unread: UnreadPrompts
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #reconciling: Promise<void> | undefined

  constructor(parts: SupervisorParts) {
    const { db, herd, config, log, env, socket, monitor } = parts
    this.#herd = herd
    const workspaces = createWorkspaces(config.workspaces)
    const escalations = createEscalations(herd)
    const settings = config.supervisor
    const context = { db, clock: herd.clock, settings, workspaces, escalations, log }
    this.context = context
    const registry = createRegistry(context)
    this.registry = registry
    const tokens = createTokens(context)
    this.tokens = tokens
    this.bridge = createBridge(context, tokens, registry, (token, asked) =>
      triggerBy(this.triggers, token, asked),
    )
    this.bridge.onBeat((runtimeId, { at }) => this.#heardOf(runtimeId, at))
    this.bridge.onRead((agentId) => this.#readOn(agentId))
    const planOf = (runtime: Runtime) => planOfRuntime(context, runtime)
    const terminator = new AgentTerminator((entry) => audit(context, entry))
    const observer = new RuntimeObserver(settings.runtime.stopTimeoutMs)
    const [turns, firstPrompts] = [this.#turns, this.#firstPrompts]
    const canResume = (runtime: Runtime) => this.#canResume(runtime)
    const launcher = createLauncher({ planOf, tokens, env, canResume })
    const channels = createPromptChannels(launcher.promptCommand)
    this.#reconciler = new RuntimeReconciler({
      context,
      registry,
      turns,
      observer,
      launcher,
      terminator,
      firstPrompts,
      tokens,
      planOf,
      canResume,
      isDelivering: (runtimeId) =>
        listTriggers(db, { runtimeId, states: IN_HAND }).some(ownsProcess),
      changed: (runtime) => this.#changed(runtime),
    })
    this.#observer = new TargetObserver({
      context,
      herd,
      observer,
      proofs: this.#proofs,
      firstPrompts,
      channels,
    })
    this.#deliverer = new Deliverer({
      context,
      registry,
      turns,
      observer: this.#observer,
      reconciler: this.#reconciler,
      channels,
      terminator,
      promptFor: ({ text, threadId }, runtime) =>
        [planOf(runtime).prompt, threadId && this.bridge.threadSummary(threadId), text]
          .filter(Boolean)
          .join('\n\n'),
      settled: (trigger) => {
        this.#proofs.forget(trigger.mark)
        this.triggers.settled(trigger)
      },
    })
    this.triggers = createTriggers({ context, registry, herd, deliverer: () => this.#deliverer })
    this.runtimes = createRuntimes({
      context,
      registry,
      reconciler: this.#reconciler,
      tokens,
      triggers: this.triggers,
      socket,
      lookSoon: () => this.#lookSoon(),
    })
    this.#unread = createUnreadPrompts({
      context,
      registry,
      bridge: this.bridge,
      triggers: this.triggers,
    })
    const [runtimes, triggers, operators] = [this.runtimes, this.triggers, this.#observer]
    const seen = createDispatchObserver({ context, registry, herd, monitor, operators })
    this.dispatches = new Dispatches({
      context,
      registry,
      runtimes,
      triggers,
      observer: seen,
      turns,
    })
    this.dispatchViews = createDispatchViews(context, registry, seen)
    herd.answerChange(({ updated, entries }) => {
      for (const session of updated) this.#link(session)
      for (const session of updated) this.dispatches.heard(session)
      for (const entry of entries) if (entry.type === 'event.received') this.#heard(entry.event)
    })
  }

  /** Once what happened meanwhile was read. */
  start(): void {
    this.bridge.recover()
    this.triggers.recover()
    this.#reconciler.recover()
    this.runtimes.recover()
    for (const session of this.#herd.current()) this.#link(session)
    for (const trigger of listTriggers(this.context.db, { states: IN_HAND })) {
      for (const event of eventsWithMark(this.context, trigger.mark)) this.#hearProof(event)
    }
    this.#deliverer.recover()
    this.dispatches.recover()
    const { reconcileMs } = this.context.settings.runtime
    this.#timer = loop(reconcileMs, () => this.#reconcile())
    void this.#reconcile()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#deliverer[Symbol.dispose]()
    await this.dispatches[Symbol.asyncDispose]()
    await this.#reconciling
    await this.#turns.idle()
  }

  #reconcile(): Promise<void> {
    this.#reconciling ??= this.#compare()
      .catch((error) => {
        this.context.log.error({ reason: messageOf(error) }, 'reconcile failed')
      })
      .finally(() => {
        this.#reconciling = undefined
        if (this.#reconciler.isExpecting) this.#lookSoon()
      })
    return this.#reconciling
  }

  async #compare(): Promise<void> {
    this.tokens.keep()
    await this.#reconciler.reconcile()
    await this.#observer.noticeOperators(this.registry)
    this.#unread.look()
  }

  #lookSoon(): void {
    if (this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      void this.#reconcile()
    }, SOON_MS)
  }

  #changed(runtime: Runtime): void {
    this.#deliverer.look(runtime.runtimeId)
    this.dispatches.changed(runtime)
    if (runtime.status !== 'stopped') return
    this.#firstPrompts.forget(runtime.runtimeId)
    this.#observer.forget(runtime.runtimeId)
    this.runtimes.stopped(runtime)
  }

  #heard(event: AgentEvent): void {
    if (event.marks) this.#hearProof(event)
    else if (event.prompt && event.source === 'hook') this.#intervened(event)
  }

  #intervened(event: AgentEvent): void {
    try {
      reportIntervention(this.context, this.bridge, event)
    } catch (error) {
      this.context.log.warn({ reason: messageOf(error) }, 'prompt not reported')
    }
  }

  #hearProof(event: AgentEvent): void {
    for (const mark of event.marks ?? []) {
      this.#firstPrompts.taken(mark)
      const trigger = findTriggerOfMark(this.context.db, mark)
      const runtime = trigger && this.registry.find(trigger.runtimeId)
      const ack = runtime && proofIn(event, runtime, this.#herd)
      if (!trigger || !ack) continue
      if (isSettled(trigger)) {
        this.triggers.arrived(trigger, ack)
        continue
      }
      this.#proofs.hear(mark, ack)
      this.#deliverer.prove(trigger, ack)
    }
  }

  /** Where nobody knows of a transcript, the harness has to say it. */
  #canResume({ harness, sessionId }: Runtime): boolean {
    if (sessionId === undefined) return false
    const transcript = this.#herd.session(sessionKey(harness, sessionId))?.transcript
    return transcript === undefined || existsSync(transcript)
  }

  #heardOf(runtimeId: string, at: number): void {
    const runtime = this.registry.find(runtimeId)
    if (!runtime || at - (runtime.lastHeartbeatAt ?? 0) < HEARD_EVERY_MS) return
    this.registry.change(() => this.registry.save({ ...runtime, lastHeartbeatAt: at }))
  }

  #readOn(agentId: string): void {
    const runtime = this.registry.ofAgent(agentId)
    if (runtime) this.#deliverer.agentActive(runtime.runtimeId)
  }

  /** Which conversation a runtime has, as the harness itself tells it. */
  #link({ id, harness, pane, pid, isGuest, headless, verdict, lastAt }: Session): void {
    if (!pane || isGuest || headless || verdict.state === 'ended' || isStandIn(id)) return
    const runtime = this.registry
      .list()
      .find((one) => isSamePane(paneOf(one), pane) && one.harness === harness)
    const own = runtime && paneIn(runtime)
    if (!own || (pane.server !== undefined && pane.server !== own.serverPid)) return
    this.#deliverer.agentActive(runtime.runtimeId)
    const isKnown = runtime.sessionId === id && own.agentPid === pid
    const isRecent = lastAt - (runtime.lastHeartbeatAt ?? 0) < HEARD_EVERY_MS
    if (isKnown && isRecent) return
    const placed = withPane(runtime, { ...own, agentPid: pid })
    this.registry.change(() =>
      this.registry.save({ ...placed, sessionId: id, lastHeartbeatAt: lastAt }),
    )
  }
}

const HEARD_EVERY_MS = 60_000

/** The monitor's own name for a program that has not reported its session. */
function isStandIn(id: string): boolean {
  return /^pid-\d+$/.test(id)
}
