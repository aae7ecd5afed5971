import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'
import { SupervisorSchema } from '../../../src/config/supervisor-settings.ts'
import { WorkspacesSchema } from '../../../src/config/workspaces.ts'
import type { TrailBossError } from '../../../src/core/errors.ts'
import { KeyedMutex } from '../../../src/service/keyed-mutex.ts'
import { insertTrigger } from '../../../src/store/tables/triggers.ts'
import type { SupervisorContext } from '../../../src/supervisor/context/context.ts'
import { createEscalations } from '../../../src/supervisor/context/escalations.ts'
import { createWorkspaces } from '../../../src/supervisor/context/workspaces.ts'
import { createDispatchObserver } from '../../../src/supervisor/dispatch/dispatch-observer.ts'
import { createDispatchViews } from '../../../src/supervisor/dispatch/dispatch-views.ts'
import { Dispatches } from '../../../src/supervisor/dispatch/dispatches.ts'
import { createRegistry } from '../../../src/supervisor/runtimes/registry.ts'
import type { RuntimeReconciler } from '../../../src/supervisor/runtimes/runtime-reconciler.ts'
import { createRuntimes } from '../../../src/supervisor/runtimes/runtimes.ts'
import type { Supervisor } from '../../../src/supervisor/supervisor.ts'
import { createAgentObserver } from '../../../src/supervisor/triage/agent-observer.ts'
import type { Triggers } from '../../../src/supervisor/triggers/triggers.ts'
import { createTestHerd } from '../daemon/test-herd.ts'
import { runtimeIn } from './runtime-in.ts'
import { triggerIn } from './trigger-in.ts'

/** Dispatches on a real store, with agents that take every prompt at once and end their turn with "Done.". */
export type DispatchScene = AsyncDisposable & {
  directory: string
  supervisor: Pick<Supervisor, 'dispatches' | 'dispatchViews' | 'context'>
  /** What was done, in order. */
  done: string[]
  /** Called before and after each of these. */
  around: (act: string) => void
  /** What is on disk now. */
  snapshot(): DatabaseSync
}

export type DispatchSceneOptions = {
  db?: DatabaseSync
  directory?: string
  /** The role that reviews by default. */
  reviewer?: string
  /** Thrown when an agent should start. */
  cannotStart?: TrailBossError
}

export function createDispatchScene(options: DispatchSceneOptions = {}): DispatchScene {
  const herd = createTestHerd()
  const directory = options.directory ?? join(herd.dir, 'ranch')
  mkdirSync(directory, { recursive: true })
  const roles = { judge: { harness: 'claude-code' }, critic: { harness: 'claude-code' } }
  const { reviewer } = options
  const workspaces = { ranch: { directories: [directory], roles, ...(reviewer && { reviewer }) } }
  const db = options.db ?? herd.store.db
  const context: SupervisorContext = {
    db,
    clock: herd.herd.clock,
    settings: v.parse(SupervisorSchema, { dispatch: { settleMs: 1 } }),
    workspaces: createWorkspaces(v.parse(WorkspacesSchema, workspaces)),
    escalations: createEscalations(herd.herd),
    log: herd.log,
  }
  const registry = createRegistry(context)
  const copies: DatabaseSync[] = []
  const acting = <T>(act: string, work: () => T): T => {
    scene.around(act)
    const result = work()
    scene.done.push(act)
    scene.around(act)
    return result
  }

  const reconciler = {
    start: async (runtimeId: string) => {
      if (options.cannotStart) throw options.cannotStart
      const runtime = registry.find(runtimeId)!
      const startedAt = context.clock.now()
      const sessionId = `ses-${runtime.role}`
      const started = { ...runtimeIn('ready', runtime), startedAt, sessionId }
      acting(`start ${runtime.agentId}`, () => registry.change(() => registry.save(started)))
      return started
    },
    stop: async (runtimeId: string) => {
      const runtime = registry.find(runtimeId)!
      const stopping = runtimeIn('stopping', runtime)
      for (const one of [stopping, runtimeIn('stopped', runtime)]) {
        registry.change(() => registry.save(one))
        scene.supervisor.dispatches.changed(one)
      }
      return stopping
    },
  } as unknown as RuntimeReconciler
  let made = 0
  const create: Triggers['create'] = ({ agentId, reason, text = '' }) => {
    made++
    const { runtimeId } = registry.requireAgent(agentId)
    const id = `trg_${made}_${reason}_${agentId}`
    const now = context.clock.now()
    const facts = { id, mark: id, runtimeId, agentId, reason, text, createdAt: now }
    const taken = triggerIn('delivered', facts, { settledAt: now, write: { claimedAt: now } })
    acting(`send ${agentId}`, () => insertTrigger(db, taken))
    return taken
  }
  const others = { list: () => [], onSettled: () => {}, dismiss: () => {} }
  const triggers = { create, ...others } as unknown as Triggers
  const [tokens, lookSoon] = [{ revoke: () => {} }, () => {}]
  const parts = { context, registry, reconciler, tokens, triggers, socket: '/nowhere', lookSoon }
  const runtimes = createRuntimes({ ...parts, herd: herd.herd, missingHooks: () => null })
  const monitor = { viewOf: () => undefined, prompted: () => undefined }
  const links = { screenOf: async () => undefined }
  const operators = { lookAtOperators: async () => new Map<string, number>() }
  const agents = createAgentObserver({ context, herd: herd.herd, monitor, operators, links })
  const real = createDispatchObserver({ context, registry, herd: herd.herd, agents })
  const observer: typeof real = {
    ...real,
    async look(dispatch) {
      const look = await real.look(dispatch)
      const since = context.clock.now()
      const ended = { state: 'stuck', reason: 'stopped', ask: { text: 'Done.' } } as const
      const verdict = { ...ended, since, by: 'hook', why: 'Stop' } as const
      const composer = { kind: 'empty' } as const
      return { ...look, observed: { ...look.observed, verdict, composer, lastWords: 'Done.' } }
    },
  }
  const mutex = new KeyedMutex()
  const dispatches = new Dispatches({ context, registry, runtimes, triggers, observer, mutex })
  const scene: DispatchScene = {
    directory,
    supervisor: {
      dispatches,
      dispatchViews: createDispatchViews(context, registry, real),
      context,
    },
    done: [],
    around: () => {},
    snapshot() {
      const file = join(herd.dir, `copy-${copies.length}.db`)
      db.prepare('VACUUM INTO ?').run(file)
      const copy = new DatabaseSync(file)
      copies.push(copy)
      return copy
    },
    [Symbol.asyncDispose]: async () => {
      await dispatches[Symbol.asyncDispose]()
      for (const copy of copies) copy.close()
      herd[Symbol.dispose]()
    },
  }
  return scene
}
