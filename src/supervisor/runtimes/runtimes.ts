import type { RuntimeView } from '../../contract/supervisor.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { failureSentence } from '../../core/supervisor/runtime/failure-code.ts'
import { newRuntime, type Runtime, targetOf } from '../../core/supervisor/runtime/runtime.ts'
import { isSettled } from '../../core/supervisor/trigger/trigger.ts'
import { newId } from '../../service/new-id.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import { audit, type SupervisorContext } from '../context/context.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import { dismissFailures } from '../triggers/dismissed-failures.ts'
import { closePane, type Keeper } from './keeper.ts'
import type { Registry } from './registry.ts'
import { itemOf } from './runtime-item.ts'
import { paneOf } from './runtime-sights.ts'

/** What the operator can do with runtimes. */
export type Runtimes = {
  register(plan: AgentPlan, by: string): Runtime
  /** Registers it where that was not done. Throws where it cannot be started at all. */
  start(agentId: string, by: string): Promise<Runtime>
  stop(agentId: string, by: string): Promise<Runtime>
  restart(agentId: string, by: string): Promise<Runtime>
  /** Only what does not run. Its triggers and its lines in the audit stay. */
  deregister(agentId: string, by: string): Runtime
  /** It has stopped: one that is to be restarted is started. */
  stopped(runtime: Runtime): void
  /** At the start: the same for what an earlier run has stopped. */
  recover(): void
  views(): RuntimeView[]
  view(runtime: Runtime): RuntimeView
}

export type RuntimesParts = {
  context: SupervisorContext
  registry: Registry
  keeper: Keeper
  tokens: { revoke(runtimeId: string, why: string): void }
  /** The tmux server in which they run. */
  socket: string
  /** Have a look soon: something was asked for. */
  lookSoon(): void
}

export function createRuntimes(parts: RuntimesParts): Runtimes {
  const { context, registry, keeper, tokens, socket, lookSoon } = parts
  const { clock, db, workspaces } = context
  const startOnceStopped = (runtime: Runtime, by: string | undefined): void =>
    registry.change(() => registry.save({ ...runtime, restartBy: by }))

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

  const start = async (agentId: string, by: string): Promise<Runtime> => {
    const known = registry.ofAgent(agentId) ?? register(workspaces.plan(agentId), by)
    if (known.status === 'stopping') {
      startOnceStopped(known, by)
      return known
    }
    const runtime = await keeper.start(known.runtimeId, by)
    lookSoon()
    return runtime
  }

  const stopNow = async (runtimeId: string, by: string): Promise<Runtime> => {
    const runtime = await keeper.stop(runtimeId, by)
    lookSoon()
    return runtime
  }

  const stop = async (agentId: string, by: string): Promise<Runtime> => {
    const runtime = registry.requireAgent(agentId)
    if (runtime.restartBy !== undefined) startOnceStopped(runtime, undefined)
    return stopNow(runtime.runtimeId, by)
  }

  const view = (runtime: Runtime): RuntimeView => {
    const wall = (at: number | undefined) =>
      at === undefined ? null : Math.round(clock.toWall(at))
    const { runtimeId, lastFailure } = runtime
    return {
      runtimeId,
      agent: runtime.agentId,
      workspace: runtime.workspaceId,
      role: runtime.role,
      harness: runtime.harness,
      status: runtime.status,
      statusSince: Math.round(clock.toWall(runtime.statusAt)),
      session: runtime.sessionId ?? null,
      target: targetOf(runtime),
      pane: paneOf(runtime) ?? null,
      pid: runtime.pid ?? runtime.panePid ?? null,
      cwd: runtime.cwd,
      operatorBusy: runtime.operatorBusy,
      lastHeartbeatAt: wall(runtime.lastHeartbeatAt),
      lastTriggerId: runtime.lastTriggerId ?? null,
      startedAt: wall(runtime.startedAt),
      failures: runtime.failures.map((at) => Math.round(clock.toWall(at))),
      wantsRunning: runtime.wantsRunning,
      lastFailure: lastFailure
        ? { code: lastFailure.code, why: lastFailure.why ?? failureSentence(lastFailure.code) }
        : null,
      openTriggers: listTriggers(db, { runtimeId }).filter((one) => !isSettled(one)).length,
    }
  }

  return {
    register,
    start,
    stop,
    async restart(agentId, by) {
      const runtime = registry.requireAgent(agentId)
      keeper.requireStartable(runtime)
      if (runtime.status === 'stopped') return start(agentId, by)
      startOnceStopped(runtime, by)
      return stopNow(runtime.runtimeId, by)
    },
    deregister(agentId, by) {
      const runtime = registry.requireAgent(agentId)
      const { runtimeId, status, wantsRunning } = runtime
      if (status !== 'stopped' && !(status === 'failed' && !wantsRunning)) {
        throw new TrailBossError('TOO_LATE', `${agentId} is ${status}.`, {
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
      dismissFailures(context, registry, { runtimeId, why: 'its runtime was deregistered' })
      tokens.revoke(runtimeId, 'it was deregistered')
      void closePane(runtime)
      return runtime
    },
    stopped({ runtimeId, agentId }) {
      const by = registry.find(runtimeId)?.restartBy
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
