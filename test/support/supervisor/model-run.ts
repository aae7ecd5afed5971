import { DEFAULT_RULES } from '../../../src/core/supervisor/defaults.ts'
import { startedRuntime, stoppedRuntime } from '../../../src/core/supervisor/runtime/reconcile.ts'
import { newRuntime } from '../../../src/core/supervisor/runtime/runtime.ts'
import { markFrom, markPrefix } from '../../../src/core/supervisor/trigger/mark.ts'
import {
  isSettled,
  newTrigger,
  type Trigger,
  viaOf,
} from '../../../src/core/supervisor/trigger/trigger.ts'
import type { TriggerAction } from '../../../src/core/supervisor/trigger/trigger-outcome.ts'
import { longestDeliveryMs } from '../../../src/core/supervisor/trigger/trigger-step.ts'
import { randomFrom } from '../random.ts'
import {
  closePane,
  endProcess,
  Killed,
  livePanes,
  type ModelRole,
  type ModelWorld,
  perform,
  recoverRole,
  superviseRole,
} from './model-supervisor.ts'
import {
  composerOf,
  type ModelFaults,
  newTarget,
  operatorTypes,
  settleInputs,
} from './model-target.ts'

/** How often each event happens, as a share of all steps. */
type Troubles = {
  key: number
  crash: number
  exit: number
  paneClosed: number
  tmuxAway: number
  killed: number
  mood: number
  stop: number
  start: number
  trigger: number
}

export type ModelRun = {
  seed: number
  steps: number
  roles: number
  faults: ModelFaults
  troubles: Troubles
  hasChannel?: boolean
}

/** The results, to show that a run was not all quiet. */
export type RunTally = Record<string, number>

/**
 * Everything happens at random; a violated invariant throws. In the end nothing else happens, and every trigger
 * must finish by itself.
 */
export function runModel(run: ModelRun): RunTally {
  const random = randomFrom(run.seed)
  const tally: RunTally = {}
  const recovered = new Set<string>()
  const world: ModelWorld = {
    now: 1_000_000,
    random,
    rules: DEFAULT_RULES,
    isTmuxThere: true,
    nextId: 1,
    crashIn: undefined,
    watch: {
      acts: (role, trigger, act) => {
        count(tally, `${act.kind}${act.kind === 'fallback' ? ` ${act.how}` : ''}`)
        if (act.kind === 'stop') checkStop(world, role, trigger, act.manner)
        checkWrite(world, role, trigger, act, recovered)
      },
      launches: (role, how) => checkLaunch(world, role, how),
      settles: (role, trigger) => {
        count(tally, trigger.state === 'failed' ? `failed ${trigger.code}` : `by ${viaOf(trigger)}`)
        checkLog(role, trigger)
      },
    },
  }
  const roles = Array.from({ length: run.roles }, (_, n) => newRole(run, n))
  const supervised: Supervised = (act) => alive(world, roles, recovered, tally, act)
  for (const role of roles) supervised(() => start(world, role))
  for (let step = 0; step < run.steps; step++) happen(world, roles, run.troubles, supervised)
  world.crashIn = undefined
  drain(world, roles)
  for (const role of roles) checkEnd(role)
  return tally
}

function newRole({ faults, hasChannel }: ModelRun, n: number): ModelRole {
  const facts = { workspaceId: 'w', harness: 'model', socket: '/s', cwd: '/' }
  return {
    runtime: newRuntime({ ...facts, runtimeId: `rt${n}`, role: `r${n}` }, 0),
    triggers: [],
    target: newTarget(faults),
    panes: [],
    hasChannel: hasChannel ?? false,
    keyAt: undefined,
    nextLookAt: 0,
    failures: 0,
    lastFailureAt: undefined,
  }
}

function happen(
  world: ModelWorld,
  roles: ModelRole[],
  troubles: Troubles,
  supervised: Supervised,
): void {
  const { random } = world
  const role = roles[Math.floor(random() * roles.length)]
  if (!role) return
  world.now += random() < 0.003 ? random() * 1e6 : random() * 2_500
  for (const { target } of roles) settleInputs(target, world.now, random)
  const happening = drawn(troubles, random())
  if (happening) HAPPENINGS[happening](world, role, supervised)
  else supervised(() => superviseDue(world, roles))
}

type Supervised = (act: () => void) => void

const HAPPENINGS: Record<
  keyof Troubles,
  (world: ModelWorld, role: ModelRole, supervised: Supervised) => void
> = {
  key: (world, role) => touch(world, role),
  crash: (world, role) => endProcess(world, role, 'dead'),
  exit: (world, role) => endProcess(world, role, 'exited'),
  mood: (world, role) => changeMood(world, role),
  paneClosed: (world, role) => {
    for (const pane of livePanes(role)) closePane(world, role, pane)
  },
  tmuxAway: (world) => {
    world.isTmuxThere = !world.isTmuxThere
  },
  killed: (world) => {
    world.crashIn = Math.floor(world.random() * 8)
  },
  trigger: (world, role) => {
    if (role.triggers.length < 40) role.triggers.push(trigger(world, role))
  },
  start: (world, role, supervised) => supervised(() => start(world, role)),
  stop: (world, role, supervised) =>
    supervised(() => perform(world, role, stoppedRuntime(role.runtime, undefined, world.now))),
}

function drawn(troubles: Troubles, draw: number): keyof Troubles | undefined {
  let rest = draw
  for (const name of Object.keys(troubles) as (keyof Troubles)[]) {
    rest -= troubles[name]
    if (rest < 0) return name
  }
  return undefined
}

/** Runs the supervisor until it is killed; then another one continues from what was stored. */
function alive(
  world: ModelWorld,
  roles: ModelRole[],
  recovered: Set<string>,
  tally: RunTally,
  act: () => void,
): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    count(tally, 'killed')
    for (const role of roles) {
      for (const one of role.triggers) {
        const isTyped = 'write' in one && one.write?.by === 'paste'
        if (['claimed', 'written', 'submitted'].includes(one.state) && isTyped)
          recovered.add(one.id)
      }
      // It may have been killed just before it would have launched a process.
      role.target.mishaps++
      recoverRole(world, role)
      role.nextLookAt = world.now
    }
  }
}

function superviseDue(world: ModelWorld, roles: ModelRole[]): void {
  for (const role of roles) if (role.nextLookAt <= world.now) superviseRole(world, role)
}

/** Only what was already begun still happens. */
function drain(world: ModelWorld, roles: ModelRole[]): void {
  for (const role of roles) {
    const open = role.triggers.filter((one) => !isSettled(one)).length
    const until = world.now + (open + 1) * longestDeliveryMs(world.rules)
    for (let turns = 0; role.triggers.some((one) => !isSettled(one)); turns++) {
      if (turns > 5_000 || world.now > until) throw new Error('a trigger never ended')
      settleInputs(role.target, world.now, world.random)
      superviseRole(world, role)
      world.now = Math.max(world.now + 1, Math.min(role.nextLookAt, world.now + 5_000))
    }
  }
}

function touch(world: ModelWorld, role: ModelRole): void {
  const draw = world.random()
  role.keyAt = world.now
  const what = draw < 0.6 ? 'letter' : draw < 0.8 ? 'enter' : 'clear'
  operatorTypes(role.target, what, world.now, world.random)
}

function changeMood({ now, random }: ModelWorld, { target }: ModelRole): void {
  const { process } = target
  if (!process || now < process.shownAt) return
  const draw = random()
  if (process.mood === 'working') {
    target.heartbeatAt = draw < 0.4 ? now : target.heartbeatAt
    if (draw > 0.3) process.mood = draw < 0.9 ? 'idle' : 'dialog'
  } else if (process.mood === 'dialog') process.mood = draw < 0.8 ? 'idle' : 'working'
  else if (draw < 0.2) process.mood = draw < 0.1 ? 'dialog' : 'working'
}

function start(world: ModelWorld, role: ModelRole): void {
  if (!['stopped', 'failed', 'given-up'].includes(role.runtime.status)) return
  role.target.crashes = []
  perform(world, role, startedRuntime(role.runtime, world.now))
}

function trigger(world: ModelWorld, role: ModelRole): Trigger {
  const mark = markFrom(Uint8Array.from({ length: 10 }, () => world.random() * 256))
  const { runtimeId, agentId } = role.runtime
  const facts = { id: mark, mark, runtimeId, agentId, threadId: 'th', reason: 'r' }
  const force = world.random() < 0.02 ? { by: 'op', why: 'now' } : undefined
  return newTrigger({ ...facts, force, text: `${markPrefix(mark)}do it now, please` }, world.now)
}

function checkWrite(
  world: ModelWorld,
  role: ModelRole,
  trigger: Trigger,
  act: TriggerAction,
  recovered: ReadonlySet<string>,
): void {
  const isPaste = act.kind === 'claim-and-write' && act.by === 'paste'
  if (!isPaste && act.kind !== 'press-enter') return
  const composer = composerOf(role.target, world.now)
  const text = composer.kind === 'text' ? composer.text : composer.kind
  if (isPaste && composer.kind !== 'empty') throw new Error(`typed onto ${text}`)
  if (!isPaste && text !== trigger.text) throw new Error(`Enter pressed on ${text}`)
  if (isBusy(world, role) && !trigger.force) throw new Error('written while somebody typed')
  if (isPaste && recovered.has(trigger.id)) throw new Error('a recovered claim was typed again')
}

/** Never end an agent that types, works, or has text in its composer. */
function checkStop(
  world: ModelWorld,
  role: ModelRole,
  { text }: Trigger,
  manner: 'gracefully' | 'at-once',
): void {
  if (isBusy(world, role)) throw new Error('ended under somebody’s hands')
  const composer = composerOf(role.target, world.now)
  const isOurs = composer.kind === 'text' && composer.text.replaceAll(text, '') === ''
  if (manner === 'gracefully' && composer.kind !== 'empty' && !isOurs) {
    throw new Error('ended with somebody’s words in it, or at work')
  }
}

/** A role has one process, and starts it no more often than its budget allows. */
function checkLaunch({ now, rules }: ModelWorld, role: ModelRole, how: 'resume' | 'spawn'): void {
  if (livePanes(role).length > 0) throw new Error('two processes of one role')
  const crashes = role.target.crashes.filter((at) => now - at < rules.restart.windowMs).length
  const isAllowed = how === 'resume' ? crashes < 3 : crashes <= 3
  if (!isAllowed) throw new Error(`${how} after ${crashes} crashes`)
}

function checkLog({ target }: ModelRole, { mark, state }: Trigger): void {
  const times = target.log.reduce(
    (sum, { text }) => sum + text.split(markPrefix(mark)).length - 1,
    0,
  )
  if (times > 1) throw new Error(`taken ${times} times`)
  if (state === 'delivered' && times === 0) throw new Error('told delivered, and never taken')
}

/** An agent that exited cleanly, or because we ended it, must not be counted. */
function checkEnd(role: ModelRole): void {
  for (const trigger of role.triggers) checkLog(role, trigger)
  const { mishaps } = role.target
  if (role.failures > mishaps) throw new Error(`${role.failures} failures of ${mishaps}`)
}

function isBusy({ now, rules }: ModelWorld, { keyAt }: ModelRole): boolean {
  return keyAt !== undefined && now - keyAt < rules.delivery.quietMs
}

function count(tally: RunTally, what: string): void {
  tally[what] = (tally[what] ?? 0) + 1
}
