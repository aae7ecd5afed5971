import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { SupervisorSchema } from '../../../src/config/supervisor-settings.ts'
import { type WorkspaceConfig, WorkspacesSchema } from '../../../src/config/workspaces.ts'
import type { AuditKind, AuditLine } from '../../../src/core/audit.ts'
import type { Runtime } from '../../../src/core/supervisor/runtime/runtime.ts'
import { listAudit } from '../../../src/store/tables/audit.ts'
import { type Bridge, createBridge } from '../../../src/supervisor/bridge/bridge.ts'
import { createTokens, type RuntimeTokens } from '../../../src/supervisor/bridge/tokens.ts'
import type { SupervisorContext } from '../../../src/supervisor/context/context.ts'
import { createEscalations } from '../../../src/supervisor/context/escalations.ts'
import { createWorkspaces } from '../../../src/supervisor/context/workspaces.ts'
import { createTestHerd, type TestHerd } from '../daemon/test-herd.ts'

type Agent = { agentId: string; runtimeId: string; secret: string }

/** A bridge with its tokens on a real store, with its own clock and runtimes that are only names. */
export type BridgeScene = Disposable & {
  herd: TestHerd
  context: SupervisorContext
  tokens: RuntimeTokens
  bridge: Bridge
  pass(ms: number): void
  /** As at a launch: a runtime with a token. */
  launch(agentId: string): Agent
  /** The same database, as a restarted daemon has it. */
  restart(): void
  audit(...kinds: AuditKind[]): AuditLine[]
}

/** What workspace `ranch` says besides its directory and its roles. */
type RanchOptions = Partial<
  Pick<WorkspaceConfig, 'orchestrator' | 'orchestratorDecides' | 'policy'>
>

export function createBridgeScene(
  settings: v.InferInput<typeof SupervisorSchema> = {},
  ranch: RanchOptions = {},
): BridgeScene {
  const herd = createTestHerd()
  const directory = join(herd.dir, 'ranch')
  mkdirSync(directory)
  const role = { harness: 'claude-code' }
  const roles = { planner: role, executor: role, reviewer: role }
  const workspaces = {
    ranch: { directories: [directory], roles, ...ranch },
    farm: { directories: [directory], roles: { farmer: role } },
  }
  let passed = 0
  const clock = {
    now: () => herd.herd.clock.now() + passed,
    fromWall: (at: number) => at + passed,
    toWall: (at: number) => at - passed,
  }
  const context: SupervisorContext = {
    db: herd.store.db,
    clock,
    settings: v.parse(SupervisorSchema, settings),
    workspaces: createWorkspaces(v.parse(WorkspacesSchema, workspaces)),
    escalations: createEscalations(herd.herd),
    log: herd.log,
  }
  const runtimes = new Map<string, string>()
  const registry = {
    ofAgent: (agentId: string) => {
      const runtimeId = runtimes.get(agentId)
      return runtimeId === undefined ? undefined : ({ runtimeId, agentId } as Runtime)
    },
  }
  let launches = 0
  const scene: BridgeScene = {
    herd,
    context,
    tokens: createTokens(context),
    bridge: undefined as unknown as Bridge,
    pass: (ms) => {
      passed += ms
    },
    launch(agentId) {
      launches++
      const runtimeId = `rt_${launches}`
      runtimes.set(agentId, runtimeId)
      const [workspaceId = ''] = agentId.split('/')
      return { agentId, runtimeId, secret: scene.tokens.issue({ runtimeId, agentId, workspaceId }) }
    },
    restart() {
      scene.tokens = createTokens(context)
      scene.bridge = createBridge(context, scene.tokens, registry, () => {
        throw new Error('nobody is prompted here')
      })
    },
    audit: (...kinds) =>
      listAudit(context.db, kinds.length > 0 ? { kinds } : {}).lines.toReversed(),
    [Symbol.dispose]: () => herd[Symbol.dispose](),
  }
  scene.restart()
  return scene
}
