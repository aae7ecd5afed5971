import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { AgentEvent } from '../core/session/event.ts'
import type { Session } from '../core/session/session.ts'
import { paneIn, type Runtime } from '../core/supervisor/runtime/runtime.ts'
import { withIntroduction } from '../core/supervisor/trigger/envelope.ts'
import { IN_HAND, isSettled, ownsProcess } from '../core/supervisor/trigger/trigger.ts'
import { KeyedMutex } from '../service/keyed-mutex.ts'
import type { Log } from '../service/log.ts'
import { loop } from '../service/loop.ts'
import { eventsWithMark } from '../store/log/received-events.ts'
import { findTriggerOfMark, listTriggers } from '../store/tables/triggers.ts'
import type { ServerLinks } from '../tmux/server-link/server-links.ts'
import { type Bridge, createBridge } from './bridge/bridge.ts'
import { createTokens, type RuntimeTokens } from './bridge/tokens.ts'
import { agentNamed } from './context/agent-names.ts'
import { audit, type SupervisorContext } from './context/context.ts'
import { createEscalations } from './context/escalations.ts'
import type { Herd, Monitor } from './context/herd.ts'
import { createWorkspaces } from './context/workspaces.ts'
import { createDispatchObserver } from './dispatch/dispatch-observer.ts'
import { planOfRuntime } from './dispatch/dispatch-plan.ts'
import { createDispatchViews, type DispatchViews } from './dispatch/dispatch-views.ts'
import { Dispatches } from './dispatch/dispatches.ts'
import { Interventions } from './interventions/interventions.ts'
import { AgentTerminator } from './runtimes/agent-terminator.ts'
import { FirstPrompts } from './runtimes/first-prompts.ts'
import { createLauncher } from './runtimes/launcher.ts'
import { createPromptChannels } from './runtimes/prompt-channel.ts'
import { createRegistry, type Registry } from './runtimes/registry.ts'
import { missingHooks } from './runtimes/runtime-hooks.ts'
import { RuntimeObserver } from './runtimes/runtime-observer.ts'
import { RuntimeReconciler } from './runtimes/runtime-reconciler.ts'
import { createRuntimeScreens, type RuntimeScreens } from './runtimes/runtime-screens.ts'
import { createRuntimeSessions, type RuntimeSessions } from './runtimes/runtime-sessions.ts'
import { createRuntimes, type Runtimes } from './runtimes/runtimes.ts'
import { createAgentObserver } from './triage/agent-observer.ts'
import { RuntimeTriage } from './triage/runtime-triage.ts'
import { triggerBy } from './triggers/agent-triggers.ts'
import { Deliverer } from './triggers/deliverer.ts'
import { Proofs, proofIn } from './triggers/proofs.ts'
import { TargetObserver } from './triggers/target-observer.ts'
import { TranscriptFinder } from './triggers/transcript-finder.ts'
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
  /** Used to look at panes. */
  links: Pick<ServerLinks, 'ask' | 'screenOf'>
}

const SOON_MS = 500

/** Runs managed agents and delivers their prompts. It exists only if a workspace is configured. */
export class Supervisor implements AsyncDisposable {
  readonly context: SupervisorContext
  readonly registry: Registry
  readonly runtimes: Runtimes
  readonly screens: RuntimeScreens
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
  readonly #mutex = new KeyedMutex()
  readonly #observer: TargetObserver
  readonly #finder: TranscriptFinder
  readonly #unread: UnreadPrompts
  readonly #sessions: RuntimeSessions
  readonly #interventions: Interventions
  readonly #triage: RuntimeTriage
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #reconciling: Promise<void> | undefined

  constructor(parts: SupervisorParts) {
    const { db, herd, config, log, env, socket, monitor, links } = parts
    this.#herd = herd
    const workspaces = createWorkspaces(config.workspaces)
    const escalations = createEscalations(herd)
    const settings = config.supervisor
    const context = { db, clock: herd.clock, settings, workspaces, escalations, log }
    this.context = context
    const registry = createRegistry(context)
    this.registry = registry
    const sessions = createRuntimeSessions({
      registry,
      herd,
      active: (runtimeId) => this.#deliverer.agentActive(runtimeId),
    })
    this.#sessions = sessions
    const tokens = createTokens(context)
    this.tokens = tokens
    this.bridge = createBridge(context, tokens, registry, (token, asked) =>
      triggerBy(this.triggers, token, asked),
    )
    this.bridge.onBeat((runtimeId, { at }) => sessions.beat(runtimeId, at))
    this.bridge.onRead((agentId) => this.#readOn(agentId))
    const planOf = (runtime: Runtime) => planOfRuntime(context, runtime)
    const screens = createRuntimeScreens(context, links.ask)
    this.screens = screens
    const terminator = new AgentTerminator((entry) => audit(context, entry), screens.keep)
    const observer = new RuntimeObserver(links.ask, settings.runtime.stopTimeoutMs)
    const [mutex, firstPrompts] = [this.#mutex, this.#firstPrompts]
    const { canResume } = sessions
    const launcher = createLauncher({ planOf, tokens, env, canResume })
    const channels = createPromptChannels(launcher.promptCommand)
    this.#reconciler = new RuntimeReconciler({
      context,
      registry,
      mutex,
      observer,
      launcher,
      terminator,
      firstPrompts,
      screens,
      tokens,
      planOf,
      canResume,
      isDelivering: (runtimeId) =>
        listTriggers(db, { runtimeId, states: IN_HAND }).some(ownsProcess),
      changed: (runtime) => this.#changed(runtime),
    })
    this.#finder = new TranscriptFinder(herd, this.#proofs)
    this.#observer = new TargetObserver({
      context,
      herd,
      observer,
      proofs: this.#proofs,
      firstPrompts,
      channels,
      finder: this.#finder,
      links,
    })
    this.#deliverer = new Deliverer({
      context,
      registry,
      mutex,
      observer: this.#observer,
      reconciler: this.#reconciler,
      channels,
      terminator,
      promptFor: ({ text, threadId }, runtime) => {
        const summary = threadId === undefined ? undefined : this.bridge.threadSummary(threadId)
        return withIntroduction([planOf(runtime).prompt, summary], text)
      },
      settled: (trigger) => {
        this.#proofs.forget(trigger.mark)
        this.triggers.settled(trigger)
        const runtime = trigger.state === 'delivered' && registry.find(trigger.runtimeId)
        const pane = runtime && paneIn(runtime)
        if (pane) monitor.prompted(pane)
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
      missingHooks: (runtime) => missingHooks({ herd, planOf, env }, runtime),
      lookSoon: () => this.#lookSoon(),
      herd,
    })
    this.#unread = createUnreadPrompts({
      context,
      registry,
      bridge: this.bridge,
      triggers: this.triggers,
    })
    this.#interventions = new Interventions({ context, registry, herd, bridge: this.bridge })
    const [runtimes, triggers, operators] = [this.runtimes, this.triggers, this.#observer]
    const agents = createAgentObserver({ context, herd, monitor, operators, links })
    this.#triage = new RuntimeTriage({ context, registry, observer: agents, mutex, planOf })
    const seen = createDispatchObserver({ context, registry, herd, agents })
    this.dispatches = new Dispatches({
      context,
      registry,
      runtimes,
      triggers,
      observer: seen,
      mutex,
    })
    this.dispatchViews = createDispatchViews(context, registry, seen)
    herd.answerChange(({ updated, entries }) => {
      for (const session of updated) this.#sessions.link(session)
      for (const session of updated) this.dispatches.heard(session)
      for (const entry of entries) {
        if (entry.type === 'event.received' && entry.event.marks) this.#hearProof(entry.event)
      }
      this.#interventions.hear(updated, entries)
    })
  }

  /** Call it once everything that happened in the meantime has been read. */
  start(): void {
    this.bridge.recover()
    this.triggers.recover()
    this.#reconciler.recover()
    this.runtimes.recover()
    for (const session of this.#herd.current()) this.#sessions.link(session)
    for (const trigger of listTriggers(this.context.db, { states: IN_HAND })) {
      for (const event of eventsWithMark(this.context.db, trigger.mark)) this.#hearProof(event)
    }
    this.#interventions.recover()
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
    this.#interventions[Symbol.dispose]()
    await this.dispatches[Symbol.asyncDispose]()
    await this.#reconciling
    await this.#mutex.idle()
  }

  /** An agent by its full name, or by its role if only one workspace has that role. */
  agentNamed(name: string): string {
    const registered = this.registry.list().map(({ agentId }) => agentId)
    return agentNamed(name, [...this.context.workspaces.agents(), ...registered])
  }

  /** The agent that has this session, or whose pane it is in. */
  agentOf(session: Pick<Session, 'harness' | 'id' | 'pane'>): string | undefined {
    return this.#sessions.agentOf(session)
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
    for (const runtime of this.registry.list().filter(({ status }) => status === 'ready')) {
      await this.#finder.find(runtime, this.#firstPrompts.marksOf(runtime.runtimeId))
    }
    await this.#observer.noticeOperators(this.registry)
    this.#unread.look()
    await this.#triage.look()
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
    this.#interventions.forget(runtime.runtimeId)
    this.runtimes.stopped(runtime)
  }

  #hearProof(event: AgentEvent): void {
    for (const mark of event.marks ?? []) {
      this.#firstPrompts.taken(mark)
      const trigger = findTriggerOfMark(this.context.db, mark)
      const runtime = trigger && this.registry.find(trigger.runtimeId)
      const ack = runtime && proofIn(event, { ...runtime, pane: paneIn(runtime) }, this.#herd)
      if (!trigger || !ack) continue
      if (isSettled(trigger)) {
        this.triggers.arrived(trigger, ack)
        continue
      }
      this.#proofs.hear(mark, ack)
      this.#deliverer.prove(trigger, ack)
    }
  }

  #readOn(agentId: string): void {
    const runtime = this.registry.ofAgent(agentId)
    if (runtime) this.#deliverer.agentActive(runtime.runtimeId)
  }
}
