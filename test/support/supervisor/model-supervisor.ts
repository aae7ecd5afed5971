import { isSamePane, isUnchangedPane } from '../../../src/core/pane.ts'
import type { SupervisorRules } from '../../../src/core/supervisor/defaults.ts'
import {
  launchedRuntime,
  type PanePresence,
  type RuntimeObservation,
  type RuntimeOutcome,
  reconcileStep,
} from '../../../src/core/supervisor/runtime/reconcile.ts'
import type { Relaunch } from '../../../src/core/supervisor/runtime/restart.ts'
import {
  afterRuntimeEvent,
  type PaneOfRuntime,
  paneIn,
  type Runtime,
  withPane,
} from '../../../src/core/supervisor/runtime/runtime.ts'
import type { RuntimeEvent } from '../../../src/core/supervisor/runtime/runtime-transition.ts'
import { markPrefix } from '../../../src/core/supervisor/trigger/mark.ts'
import type { TargetObservation } from '../../../src/core/supervisor/trigger/target-observation.ts'
import {
  isSettled,
  ownsProcess,
  type Trigger,
} from '../../../src/core/supervisor/trigger/trigger.ts'
import {
  type ActionResult,
  afterAction,
  recoveredTrigger,
  type TriggerAction,
} from '../../../src/core/supervisor/trigger/trigger-outcome.ts'
import { triggerStep } from '../../../src/core/supervisor/trigger/trigger-step.ts'
import {
  acksFor,
  composerOf,
  endTarget,
  evidenceIn,
  launch,
  type ModelTarget,
  pasteText,
  pressEnter,
} from './model-target.ts'

/** A pane of the model's tmux. A dead one stays, as with `remain-on-exit`. */
export type ModelPane = PaneOfRuntime & { end: 'dead' | 'exited' | undefined }

/** One role: what is stored about it, and what really exists. */
export type ModelRole = {
  runtime: Runtime
  triggers: Trigger[]
  target: ModelTarget
  panes: ModelPane[]
  hasChannel: boolean
  /** When the operator last pressed a key there. */
  keyAt: number | undefined
  nextLookAt: number
  /** How many failures the supervisor has counted in total. */
  failures: number
  lastFailureAt: number | undefined
}

export type ModelWorld = {
  now: number
  random: () => number
  rules: SupervisorRules
  isTmuxThere: boolean
  nextId: number
  /** How many more points pass until the supervisor is killed. */
  crashIn: number | undefined
  watch: ModelWatch
}

/** Called for every action on the outside world, before it happens. */
type ModelWatch = {
  acts: (role: ModelRole, trigger: Trigger, act: TriggerAction) => void
  launches: (role: ModelRole, how: Relaunch) => void
  settles: (role: ModelRole, trigger: Trigger) => void
}

export class Killed extends Error {}

/** One turn of the supervisor's loop for one role. If it throws `Killed`, everything stored so far stays stored. */
export function superviseRole(world: ModelWorld, role: ModelRole): void {
  reconcile(world, role)
  const { process } = role.target
  if (role.runtime.status === 'ready' && !isDelivering(role) && process) {
    process.isReady = true
    process.isAskedToEnd = false
  }
  const trigger = role.triggers.find((one) => !isSettled(one))
  if (trigger) deliver(world, role, trigger)
  else role.nextLookAt = world.now + world.rules.runtime.reconcileMs
}

/** What a supervisor does first when it finds another one's leftovers. */
export function recoverRole(world: ModelWorld, role: ModelRole): void {
  for (const trigger of role.triggers.filter((one) => !isSettled(one))) {
    store(world, role, trigger, { trigger: recoveredTrigger(trigger, world.now) })
  }
}

export function livePanes(role: ModelRole): ModelPane[] {
  return role.panes.filter(({ end }) => end === undefined)
}

/** The process in the role's pane exits by itself. */
export function endProcess(world: ModelWorld, role: ModelRole, end: 'dead' | 'exited'): void {
  const [pane] = livePanes(role)
  if (!pane) return
  pane.end = end
  endTarget(role.target, end, world.now, isWrittenOff(role))
}

/** One process is one failure: it was counted when it was seen to hang, whatever happens to it later. */
function isWrittenOff({ runtime }: ModelRole): boolean {
  return runtime.status === 'failed' || runtime.status === 'given-up'
}

/** Somebody closes its pane, including its processes. */
export function closePane(world: ModelWorld, role: ModelRole, pane: ModelPane): void {
  role.panes = role.panes.filter((one) => one !== pane)
  if (pane.end === undefined) endTarget(role.target, 'dead', world.now, isWrittenOff(role))
}

function reconcile(world: ModelWorld, role: ModelRole): void {
  const { runtime } = role
  const outcome = reconcileStep(runtime, runtimeObservation(world, role), world.now, world.rules)
  perform(world, role, outcome)
}

/** Also performs the operator's requests. */
export function perform(
  world: ModelWorld,
  role: ModelRole,
  { runtime, act }: RuntimeOutcome,
): void {
  point(world)
  role.runtime = runtime
  countFailure(role)
  point(world)
  if (act.kind === 'launch') {
    const pane = open(world, role, act.how, undefined)
    point(world)
    role.runtime = launchedRuntime(role.runtime, pane, world.now, world.rules)
    countFailure(role)
  }
  if (act.kind === 'stop') end(world, role, act.manner)
}

function deliver(world: ModelWorld, role: ModelRole, trigger: Trigger): void {
  const observed = targetObservation(world, role, trigger)
  const outcome = triggerStep(trigger, observed, world.now, world.rules)
  const { act } = outcome
  point(world)
  store(world, role, trigger, outcome)
  // Once that is stored, its end counts as ours, even if we are killed before we act.
  if (act.kind === 'stop' && role.target.process) role.target.process.isAskedToEnd = true
  role.nextLookAt = act.kind === 'wait' ? act.until : world.now
  if (act.kind === 'settle') world.watch.settles(role, outcome.trigger)
  point(world)
  const result = done(world, role, outcome.trigger, act)
  point(world)
  if (result)
    store(
      world,
      role,
      outcome.trigger,
      afterAction(outcome.trigger, act, result, world.now, world.rules),
    )
}

/** One transaction: the trigger, and its effect on the runtime. */
function store(
  { now, rules }: ModelWorld,
  role: ModelRole,
  before: Trigger,
  after: { trigger: Trigger; event?: RuntimeEvent | undefined },
): void {
  const n = role.triggers.findIndex(({ id }) => id === before.id)
  role.triggers[n] = after.trigger
  const { event } = after
  role.runtime =
    (event && afterRuntimeEvent(role.runtime, event, now, rules.restart)) ?? role.runtime
  countFailure(role)
}

function countFailure(role: ModelRole): void {
  const last = role.runtime.failures.at(-1)
  if (last !== undefined && last !== role.lastFailureAt) role.failures++
  role.lastFailureAt = last
}

function done(
  world: ModelWorld,
  role: ModelRole,
  trigger: Trigger,
  act: TriggerAction,
): ActionResult | undefined {
  const { random, now } = world
  world.watch.acts(role, trigger, act)
  switch (act.kind) {
    case 'claim-and-write':
      return written(world, role, () => {
        if (act.by === 'paste') pasteText(role.target, act.text, now, random)
        else handOver(world, role, act.text)
      })
    case 'press-enter':
      return written(world, role, () => pressEnter(role.target, now, random))
    case 'stop':
      end(world, role, act.manner)
      return 'done'
    case 'fallback': {
      const pane = open(world, role, act.how, act.prompt)
      point(world)
      if (pane) role.runtime = withPane(role.runtime, pane)
      return pane ? 'done' : 'refused'
    }
    default:
      return undefined
  }
}

/** The command continues when the supervisor is killed. */
function handOver({ crashIn, now, random }: ModelWorld, { target }: ModelRole, text: string): void {
  if (crashIn === 0) target.handing.push({ text, at: now + random() * 20_000 })
  else target.queue.push(text)
}

/** The guard checks that it is still that process; sometimes tmux fails, before or after the write. */
function written(
  { isTmuxThere, random }: ModelWorld,
  role: ModelRole,
  write: () => void,
): ActionResult {
  const pane = recordedPane(role)
  const isFailing = random() < role.target.faults.tmuxFails
  const draw = isFailing ? random() : 1
  if (!isTmuxThere || draw < 0.3) return 'unknown'
  if (!pane || pane.end || draw < 0.7) return 'refused'
  write()
  return isFailing ? 'unknown' : 'done'
}

function open(
  world: ModelWorld,
  role: ModelRole,
  how: Relaunch,
  prompt: string | undefined,
): PaneOfRuntime | undefined {
  const { random, now } = world
  world.watch.launches(role, how)
  if (!world.isTmuxThere || random() < role.target.faults.tmuxFails / 4) {
    role.target.mishaps++
    return undefined
  }
  const id = world.nextId++
  const pane = { socket: '/s', id: `%${id}`, server: 1, pid: 1_000 + id }
  role.panes = [{ ...pane, end: undefined }]
  launch(role.target, prompt, now, random)
  role.runtime = {
    ...role.runtime,
    lastHeartbeatAt: now,
    sessionId: role.runtime.sessionId ?? `s${id}`,
  }
  if (random() < role.target.faults.diesAtStart)
    endProcess(world, role, random() < 0.5 ? 'dead' : 'exited')
  return pane
}

/** As its operator would, which may have no effect, or by closing its pane. */
function end(world: ModelWorld, role: ModelRole, manner: 'gracefully' | 'at-once'): void {
  const pane = recordedPane(role)
  if (!world.isTmuxThere || !pane) return
  const { process } = role.target
  if (process) process.isAskedToEnd = true
  if (manner === 'at-once') closePane(world, role, pane)
  else if (world.random() < 0.7) endProcess(world, role, world.random() < 0.8 ? 'exited' : 'dead')
}

/** Whether a delivery controls its process. */
function isDelivering({ triggers }: ModelRole): boolean {
  return triggers.some(ownsProcess)
}

function recordedPane({ runtime, panes }: ModelRole): ModelPane | undefined {
  const own = paneIn(runtime)
  return panes.find((pane) => isUnchangedPane(pane, own))
}

function presenceOf(world: ModelWorld, role: ModelRole): PanePresence {
  if (!world.isTmuxThere) return 'unseen'
  const pane = recordedPane(role)
  if (pane) return pane.end ?? 'here'
  const isReused = role.panes.some((pane) => isSamePane(pane, paneIn(role.runtime)))
  return isReused ? 'other' : 'missing'
}

function runtimeObservation(world: ModelWorld, role: ModelRole): RuntimeObservation {
  const { now, isTmuxThere } = world
  const { process } = role.target
  const stray = livePanes(role).find((pane) => pane !== recordedPane(role))
  return {
    pane: presenceOf(world, role),
    stray: isTmuxThere ? stray : undefined,
    isAgentThere: process && now >= process.shownAt,
    otherSince: undefined,
    hasServer: true,
    isSessionKept: true,
    isDelivering: isDelivering(role),
  }
}

function targetObservation(
  world: ModelWorld,
  role: ModelRole,
  trigger: Trigger,
): TargetObservation {
  const { now, isTmuxThere } = world
  const { runtime, target, keyAt } = role
  const { recordsMs } = target.faults
  const isRead = recordsMs !== undefined && now >= target.endedAt + recordsMs
  return {
    status: runtime.status,
    startedAt: runtime.startedAt,
    pane: presenceOf(world, role),
    composer: isTmuxThere ? composerOf(target, now) : { kind: 'none', why: 'tmux is not there' },
    lookedAt: now,
    operatorActiveAt: keyAt === undefined ? undefined : Math.floor(keyAt / 1_000) * 1_000,
    channel: role.hasChannel ? 'open' : 'none',
    inChannel: role.hasChannel ? evidenceIn(target, trigger.text) : 'unknown',
    acks: acksFor(target, markPrefix(trigger.mark), now),
    records: recordsMs === undefined ? 'unreadable' : isRead ? 'read' : 'unread',
    sessionId: runtime.sessionId,
    lastHeartbeatAt: runtime.lastHeartbeatAt,
    failures: runtime.failures,
    rateLimitedUntil: undefined,
    isThreadBlocked: false,
    isLeftover: false,
  }
}

/** The supervisor can be killed here. */
function point(world: ModelWorld): void {
  if (world.crashIn === undefined) return
  world.crashIn--
  if (world.crashIn >= 0) return
  world.crashIn = undefined
  throw new Killed()
}
