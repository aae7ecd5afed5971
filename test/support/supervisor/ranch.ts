import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorld, type World, type WorldOptions } from '../create-world.ts'
import { type Supervised, supervised } from './supervised.ts'

const FAKE_AGENT = fileURLToPath(new URL('./fake-agent/fake-agent.mjs', import.meta.url))
const EMITTER = fileURLToPath(new URL('../../../bin/trailboss-emit', import.meta.url))

/** The fake agent's own records. */
export type LogEntry = {
  at: number
  session: string
  kind:
    | 'started'
    | 'typed'
    | 'pasted'
    | 'submitted'
    | 'ate'
    | 'misdirected'
    | 'overtaken'
    | 'answered'
  text?: string
  what?: string
  into?: string
  pid?: number
  resumed?: boolean
}

export type Faults = {
  eatEnter?: number
  eatPaste?: number
  shows?: 'dialog' | 'picker'
  slowMs?: number
  workMs?: number
  dieOn?: 'start' | 'paste' | 'enter'
  /** Only the transcript shows that a prompt was taken. */
  mutesHooks?: boolean
  /** It does not exit when asked to. */
  isStubborn?: boolean
}

/** A world with one workspace, `ranch`, whose agents are fake and keep their own log. */
export type Ranch = AsyncDisposable &
  Supervised & {
    world: World
    /** The one directory of its workspace. */
    directory: string
    log(role: string): LogEntry[]
    submitted(role: string): string[]
    setFaults(role: string, faults: Faults): void
  }

export type RanchOptions = {
  roles: readonly string[]
  /** Settings of the supervisor; by default those of the product. */
  supervisor?: Record<string, unknown>
  prompts?: Record<string, string>
  orchestrator?: string
  policy?: 'escalate' | 'nudge' | 'approve'
  /** As they should appear in the configuration. */
  otherRoles?: Record<string, Record<string, unknown>>
  world?: WorldOptions
}

/** The product's own settings with every time divided by this, for a test of many deliveries. */
export function scaled(by: number): Record<string, unknown> {
  const ms = (time: number) => Math.max(1, Math.round(time / by))
  return {
    runtime: { reconcileMs: ms(5_000), startTimeoutMs: ms(60_000), stopTimeoutMs: ms(10_000) },
    restart: { backoffMs: [ms(1_000), ms(5_000), ms(15_000)], windowMs: ms(900_000) },
    delivery: {
      quietMs: ms(20_000),
      recheckMs: ms(5_000),
      deferLimitMs: ms(60_000),
      ackTimeoutMs: ms(8_000),
      backoffMs: [ms(2_000), ms(4_000)],
      busyLimitMs: ms(1_800_000),
      launchAckMs: ms(60_000),
      fallbackLimitMs: ms(900_000),
    },
    rate: { perThread: 1_000, perAgent: 1_000 },
  }
}

/** The same with the product's own timeouts: on a busy machine an agent is slow to start, to take a prompt, to exit. */
export function patient(settings: Record<string, unknown>): Record<string, unknown> {
  const { runtime, delivery } = settings as Record<string, object>
  return {
    ...settings,
    runtime: { ...runtime, startTimeoutMs: 60_000, stopTimeoutMs: 10_000 },
    delivery: { ...delivery, ackTimeoutMs: 8_000, launchAckMs: 60_000 },
  }
}

/** The name of the log and the faults of dispatched agents. */
export const DISPATCHED = 'dispatched'

export async function createRanch(options: RanchOptions): Promise<Ranch> {
  const world = await createWorld({ ...options.world, up: false })
  const directory = join(world.dir, 'projects', 'ranch')
  mkdirSync(directory)
  const fileOf = (role: string, name: string) => join(directory, `${role}.${name}`)
  const commandOf = (role: string) => [
    ...[process.execPath, FAKE_AGENT],
    ...['--log', fileOf(role, 'log'), '--faults', fileOf(role, 'faults')],
    ...['--emit', EMITTER, '--transcript', fileOf(role, 'transcript')],
  ]
  const roles = Object.fromEntries(
    options.roles.map((role) => {
      const prompt = options.prompts?.[role]
      return [role, { harness: 'claude-code', command: commandOf(role), ...(prompt && { prompt }) }]
    }),
  )
  const { orchestrator, supervisor, policy } = options
  writeFileSync(
    join(world.state, 'config.json'),
    JSON.stringify({
      ...options.world?.config,
      workspaces: {
        ranch: {
          directories: [directory],
          roles: { ...roles, ...options.otherRoles },
          harnesses: { 'claude-code': { command: commandOf(DISPATCHED) } },
          ...(orchestrator && { orchestrator }),
          ...(policy && { policy }),
        },
      },
      ...(supervisor && { supervisor }),
    }),
  )
  await world.up()

  const ranch: Ranch = {
    world,
    directory,
    ...supervised(world, 'ranch'),
    log: (role) => {
      const file = fileOf(role, 'log')
      if (!existsSync(file)) return []
      return readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as LogEntry)
    },
    submitted: (role) =>
      ranch.log(role).flatMap(({ kind, text }) => (kind === 'submitted' && text ? [text] : [])),
    setFaults: (role, faults) => {
      writeFileSync(fileOf(role, 'new-faults'), JSON.stringify(faults))
      renameSync(fileOf(role, 'new-faults'), fileOf(role, 'faults'))
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return ranch
}
