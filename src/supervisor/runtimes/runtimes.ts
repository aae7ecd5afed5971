import type { HooksView, RuntimeView } from '../../contract/supervisor.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { labelOf, type WaitLabel } from '../../core/session/wait-label.ts'
import { failureSentence } from '../../core/supervisor/runtime/failure-code.ts'
import {
  isAtRest,
  isWanted,
  newRuntime,
  paneIn,
  type Runtime,
  restartIn,
  targetOf,
  withoutSession,
  withRestart,
} from '../../core/supervisor/runtime/runtime.ts'
import { publicStatus } from '../../core/supervisor/trigger/public-status.ts'
import { isSettled, lastClaimed } from '../../core/supervisor/trigger/trigger.ts'
import { displayText, truncate } from '../../core/text.ts'
import { newId } from '../../service/new-id.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import { audit, type SupervisorContext } from '../context/context.ts'
import { type Herd, waitingIn } from '../context/herd.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import { closePane } from './agent-terminator.ts'
import type { Registry } from './registry.ts'
import { itemOf } from './runtime-item.ts'
import type { RuntimeReconciler } from './runtime-reconciler.ts'

/** What the operator can do with runtimes. */
export type Runtimes = {
  register(plan: AgentPlan, by: string): Runtime
  /** Registers it if necessary. Throws if it cannot be started at all. */
  start(agentId: string, by: string): Promise<Runtime>
  stop(agentId: string, by: string): Promise<Runtime>
  restart(agentId: string, by: string): Promise<Runtime>
  /** Only if it does not run. Its triggers and its audit lines stay. */
  deregister(agentId: string, by: string): Runtime
  /** It has stopped: starts it again if a restart was requested. */
  stopped(runtime: Runtime): void
  /** At the start: the same for runtimes that an earlier run stopped. */
  recover(): void
  views(): RuntimeView[]
  view(runtime: Runtime): RuntimeView
}

export type RuntimesParts = {
  context: SupervisorContext
  registry: Registry
  reconciler: RuntimeReconciler
  tokens: { revoke(runtimeId: string, why: string): void }
  triggers: { dismiss(runtimeId: string, why: string): void }
  /** The tmux server in which they run. */
  socket: string
  missingHooks(runtime: Runtime): HooksView | null
  /** Look soon: somebody has requested a change. */
  lookSoon(): void
  herd: Pick<Herd, 'current'>
}

export function createRuntimes(parts: RuntimesParts): Runtimes {
  const { context, registry, reconciler, tokens, triggers, socket, lookSoon, herd } = parts
  const { clock, db, workspaces } = context
  const startOnceStopped = (runtime: Runtime, by: string | undefined): void =>
    registry.change(() => registry.save(withRestart(runtime, by)))

  const register = (plan: AgentPlan, by: string): Runtime => {
    const { agentId, workspaceId, role, harness, cwd } = plan
    if (registry.ofAgent(agentId)) {
      throw new TrailBossError('ALREADY_THERE', `${agentId} is registered already.`, {
        hint: `trailboss runtime show ${agentId} tells how it is.`,
      })
    }
    const runtimeId = newId('rt')
    const runtime = newRuntime({ runtimeId, workspaceId, role, harness, socket, cwd }, clock.now())
    registry.change(() => {
      registry.save(runtime)
      audit(context, { kind: 'runtime_registered', actor: by, agentId, runtimeId, result: 'ok' })
    })
    return runtime
  }

  /**
   * A stopped runtime takes over the harness and directory that its role has now. It loses its session, which
   * would not fit.
   */
  const asConfigured = (runtime: Runtime): Runtime => {
    const { agentId, runtimeId } = runtime
    const isRole = workspaces.agents().includes(agentId) && !findDispatchOfRuntime(db, runtimeId)
    if (runtime.status !== 'stopped' || !isRole) return runtime
    const { harness, cwd } = workspaces.plan(agentId)
    if (harness === runtime.harness && cwd === runtime.cwd) return runtime
    const renewed = { ...withoutSession(runtime), harness, cwd }
    registry.change(() => registry.save(renewed))
    return renewed
  }

  const start = async (agentId: string, by: string): Promise<Runtime> => {
    const before = registry.ofAgent(agentId)
    const known = before ? asConfigured(before) : register(workspaces.plan(agentId), by)
    if (known.status === 'stopping') {
      startOnceStopped(known, by)
      return known
    }
    const runtime = await reconciler.start(known.runtimeId, by)
    lookSoon()
    return runtime
  }

  const stop = async (agentId: string, by: string, restartBy?: string): Promise<Runtime> => {
    const runtime = registry.requireAgent(agentId)
    startOnceStopped(runtime, restartBy)
    const stopping = await reconciler.stop(runtime.runtimeId, by, restartBy)
    lookSoon()
    return stopping
  }

  const isRemoved = ({ runtimeId, agentId }: Runtime) =>
    !context.workspaces.agents().includes(agentId) && !findDispatchOfRuntime(db, runtimeId)

  const view = (runtime: Runtime): RuntimeView => {
    const wall = (at: number | undefined) =>
      at === undefined ? null : Math.round(clock.toWall(at))
    const { runtimeId, lastFailure } = runtime
    const own = listTriggers(db, { runtimeId })
    const { status, since } = publicStatus(runtime, own)
    return {
      runtimeId,
      agent: runtime.agentId,
      workspace: runtime.workspaceId,
      role: runtime.role,
      harness: runtime.harness,
      status,
      statusSince: Math.round(clock.toWall(since)),
      session: runtime.sessionId ?? null,
      target: targetOf(runtime),
      pane: paneIn(runtime) ?? null,
      pid: paneIn(runtime)?.agentPid ?? paneIn(runtime)?.pid ?? null,
      cwd: runtime.cwd,
      operatorBusy: runtime.operatorBusy && paneIn(runtime) !== undefined,
      lastHeartbeatAt: wall(runtime.lastHeartbeatAt),
      lastTriggerId: lastClaimed(own)?.id ?? null,
      startedAt: wall(runtime.startedAt),
      failures: runtime.failures.map((at) => Math.round(clock.toWall(at))),
      wantsRunning: isWanted(runtime),
      removed: isRemoved(runtime),
      lastFailure: lastFailure
        ? { code: lastFailure.code, why: lastFailure.why ?? failureSentence(lastFailure.code) }
        : null,
      openTriggers: own.filter((one) => !isSettled(one)).length,
      waits: waitOf(runtime, herd),
      hooks: parts.missingHooks(runtime),
    }
  }

  return {
    register,
    start,
    stop: (agentId, by) => stop(agentId, by),
    async restart(agentId, by) {
      const runtime = registry.requireAgent(agentId)
      reconciler.requireStartable(runtime)
      if (runtime.status === 'stopped') return start(agentId, by)
      return stop(agentId, by, by)
    },
    deregister(agentId, by) {
      const runtime = registry.requireAgent(agentId)
      const { runtimeId } = runtime
      if (!isAtRest(runtime)) {
        throw new TrailBossError('TOO_LATE', `${agentId} is ${view(runtime).status}.`, {
          hint: `Stop it first: trailboss runtime stop ${agentId}`,
        })
      }
      registry.change(() => {
        registry.remove(runtimeId)
        audit(context, {
          kind: 'runtime_deregistered',
          actor: by,
          agentId,
          runtimeId,
          result: 'ok',
        })
      })
      context.escalations.end(itemOf(runtime), 'it was deregistered', 'operator')
      triggers.dismiss(runtimeId, 'its runtime was deregistered')
      tokens.revoke(runtimeId, 'it was deregistered')
      void closePane(runtime)
      return runtime
    },
    stopped({ runtimeId, agentId }) {
      const runtime = registry.find(runtimeId)
      const by = runtime && restartIn(runtime)
      if (by === undefined) return
      start(agentId, by).catch((error) =>
        context.log.error({ agent: agentId, reason: messageOf(error) }, 'restart failed'),
      )
    },
    recover() {
      for (const runtime of registry.list().filter(({ status }) => status === 'stopped')) {
        this.stopped(runtime)
      }
    },
    views: () => registry.list().map(view),
    view,
  }
}

/** The end of a turn does not block it: it takes the next prompt. */
const IS_FREE: ReadonlySet<WaitLabel> = new Set(['finished', 'waits'])
const MOST_ASK_CHARS = 400

function waitOf(runtime: Runtime, herd: RuntimesParts['herd']): RuntimeView['waits'] {
  const waiting = waitingIn(herd, paneIn(runtime))
  const label = waiting && labelOf(waiting.verdict)
  if (!label || IS_FREE.has(label)) return null
  return { label, ask: truncate(displayText(waiting.verdict.ask.text), MOST_ASK_CHARS) }
}
