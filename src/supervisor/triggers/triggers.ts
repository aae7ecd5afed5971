import type { TriggerView } from '../../contract/supervisor.ts'
import { requireParticipant } from '../../core/bridge/thread.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import { envelopeOf, promptOf } from '../../core/supervisor/trigger/envelope.ts'
import {
  cancelledTrigger,
  codeOf,
  type Force,
  isSettled,
  newTrigger,
  type Trigger,
  type TriggerIn,
} from '../../core/supervisor/trigger/trigger.ts'
import { arrivedTrigger } from '../../core/supervisor/trigger/trigger-outcome.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { newId } from '../../service/new-id.ts'
import { readThread } from '../../store/tables/bridge.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import {
  insertTrigger,
  listTriggers,
  moveTrigger,
  readTrigger,
  type TriggerFilter,
} from '../../store/tables/triggers.ts'
import { type AuditEntry, audit, type SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import { newMark } from '../runtimes/first-prompts.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { Deliverer } from './deliverer.ts'
import { auditOf } from './trigger-audit.ts'
import { failureOf, itemOf } from './trigger-item.ts'
import { triggerView } from './trigger-view.ts'

type NewTrigger = {
  agentId: string
  threadId?: string | undefined
  reason: string
  /** Absent: it asks to read what is unread in its thread. */
  text?: string | undefined
  /** `lines`: a whole task, typed as it is. */
  shape?: 'line' | 'lines'
  force?: Force | undefined
  by: string
}

export type Triggers = {
  /** Throws if it cannot even be tried; that is audited, too. */
  create(request: NewTrigger): Trigger
  list(filter?: TriggerFilter): Trigger[]
  require(triggerId: string): Trigger
  /** The same text again, as a new trigger. */
  retry(triggerId: string, by: string): Trigger
  /** Takes it back; a failed trigger leaves the queue. */
  cancel(triggerId: string, by: string): Trigger
  /** Nobody has to settle failures for a runtime that is forgotten: a retry could only fail again. */
  dismiss(runtimeId: string, why: string): void
  /** It has ended, and the operator gets what it could not settle. */
  settled(trigger: Trigger): void
  /** A proof of one that has ended: what counted as failed may have come out of a channel later. */
  arrived(trigger: Trigger, ack: Ack): void
  onSettled(listener: (trigger: Trigger) => void): void
  /** At the start: puts unanswered failures back into the queue. */
  recover(): void
  view(trigger: Trigger): TriggerView
}

export type TriggerParts = {
  context: SupervisorContext
  registry: Registry
  herd: Herd
  deliverer(): Deliverer
}

export function createTriggers({ context, registry, herd, deliverer }: TriggerParts): Triggers {
  const { db, clock, workspaces, escalations } = context
  const listeners = new Set<(trigger: Trigger) => void>()

  const requireTrigger = (triggerId: string): Trigger => {
    const trigger = readTrigger(db, triggerId)
    if (trigger) return trigger
    throw new TrailBossError('NOT_FOUND', `There is no trigger "${short(triggerId)}".`, {
      hint: 'trailboss trigger list names them.',
    })
  }

  const requireTarget = (agentId: string): Runtime => {
    const runtime = registry.ofAgent(agentId)
    if (runtime) return runtime
    const isSession = [...herd.current()].some(
      ({ id, pane }) => id === agentId || (pane !== undefined && pane.id === agentId),
    )
    if (isSession || /^[%@$]\d+$/.test(agentId)) {
      throw new TrailBossError(
        'FALLBACK_REQUIRED',
        `${short(agentId)} is not a runtime of Trail Boss: nothing is ever typed there.`,
        { hint: 'Go there and type it yourself, or run the agent as a managed runtime.' },
      )
    }
    workspaces.plan(agentId)
    return registry.requireAgent(agentId)
  }

  const add = (
    runtime: Runtime,
    request: NewTrigger,
    textFor: (told: Named) => string,
  ): Trigger => {
    const { agentId, runtimeId } = runtime
    const named = { id: newId('trg'), mark: newMark() }
    const { threadId, reason, force, by } = request
    const trigger = newTrigger(
      { ...named, runtimeId, agentId, threadId, reason, text: textFor(named), force },
      clock.now(),
    )
    registry.change(() => {
      insertTrigger(db, trigger)
      auditTrigger(trigger, { kind: 'trigger_queued', actor: by, result: 'ok', detail: reason })
    })
    deliverer().look(runtimeId)
    return trigger
  }

  const auditTrigger = (trigger: Trigger, entry: AuditEntry) => {
    const { id, agentId, runtimeId, threadId } = trigger
    audit(context, { agentId, runtimeId, triggerId: id, ...(threadId && { threadId }), ...entry })
  }

  const raise = (trigger: TriggerIn<'failed'>) => {
    const { runtimeId } = trigger
    const dispatch = findDispatchOfRuntime(db, runtimeId)
    escalations.raise(failureOf(trigger, registry.find(runtimeId), dispatch))
  }

  return {
    create(request) {
      const { agentId, threadId, reason, text, shape = 'line', by } = request
      try {
        const runtime = requireTarget(agentId)
        if (threadId !== undefined) requireOpenThread(context, threadId, agentId)
        const said = text ?? defaultText(threadId)
        return add(runtime, request, ({ id, mark }) =>
          shape === 'lines'
            ? promptOf(mark, said)
            : envelopeOf({ mark, triggerId: id, threadId, reason, text: said }),
        )
      } catch (error) {
        const result = error instanceof TrailBossError ? error.code : 'INTERNAL'
        audit(context, {
          kind: 'trigger_refused',
          actor: by,
          agentId: short(agentId),
          ...(threadId && { threadId: short(threadId) }),
          result,
          ...(text !== undefined && { payload: text }),
        })
        throw error
      }
    },

    list: (filter) => listTriggers(db, filter),
    require: requireTrigger,

    retry(triggerId, by) {
      const old = requireTrigger(triggerId)
      if (old.state !== 'failed' && old.state !== 'cancelled') {
        throw new TrailBossError('TOO_LATE', `Trigger ${old.id} is ${old.state}, not failed.`, {
          hint: isSettled(old)
            ? 'It has arrived: to say it again, make a new trigger.'
            : 'It is still on its way: trailboss trigger show tells how far it is.',
        })
      }
      if (old.answered?.kind === 'retried') {
        throw new TrailBossError(
          'TOO_LATE',
          `Trigger ${old.id} was tried again as ${old.answered.as}.`,
          { hint: `trailboss trigger show ${old.answered.as} tells what became of it.` },
        )
      }
      const runtime = registry.requireAgent(old.agentId)
      const { threadId, reason } = old
      const request = { agentId: old.agentId, threadId, reason, by }
      const again = registry.change(() => {
        const added = add(runtime, request, ({ id, mark }) => renamed(old, id, mark))
        moveTrigger(db, old, { ...old, answered: { kind: 'retried', as: added.id } })
        return added
      })
      escalations.end(itemOf(old), `it was tried again as ${again.id}`, 'operator')
      return again
    },

    cancel(triggerId, by) {
      const trigger = requireTrigger(triggerId)
      if (trigger.state === 'failed') {
        const seen: Trigger = { ...trigger, answered: trigger.answered ?? { kind: 'seen' } }
        registry.change(() => {
          moveTrigger(db, trigger, seen)
          auditTrigger(trigger, { kind: 'trigger_cancelled', actor: by, result: 'ok' })
        })
        escalations.end(itemOf(trigger), 'the operator has seen it', 'operator')
        return seen
      }
      const cancelled = cancelledTrigger(trigger, clock.now())
      const isDone =
        cancelled !== undefined &&
        registry.change(() => {
          if (!moveTrigger(db, trigger, cancelled)) return false
          auditTrigger(trigger, { kind: 'trigger_cancelled', actor: by, result: 'ok' })
          return true
        })
      if (!cancelled || !isDone) {
        throw new TrailBossError(
          'TOO_LATE',
          `Trigger ${trigger.id} is ${trigger.state}: it may have been taken already.`,
          { hint: 'Interrupt the agent in its pane if it should not go on.' },
        )
      }
      for (const listener of listeners) listener(cancelled)
      return cancelled
    },

    dismiss(runtimeId, why) {
      for (const trigger of listTriggers(db, { runtimeId, states: ['failed'] })) {
        if (trigger.state !== 'failed' || trigger.answered) continue
        registry.change(() => moveTrigger(db, trigger, { ...trigger, answered: { kind: 'seen' } }))
        escalations.end(itemOf(trigger), why, 'operator')
      }
    },

    settled(trigger) {
      if (isOperators(trigger)) raise(trigger)
      const { id, agentId: agent, state } = trigger
      context.log.info({ trigger: id, agent, state, code: codeOf(trigger) }, 'trigger settled')
      for (const listener of listeners) listener(trigger)
    },

    arrived(trigger, ack) {
      const late = arrivedTrigger(trigger, ack, clock.now())
      if (!late) return
      registry.change(() => {
        if (!moveTrigger(db, trigger, late)) return
        for (const entry of auditOf(trigger, late)) auditTrigger(trigger, entry)
      })
      escalations.end(itemOf(trigger), 'it has arrived after all', 'itself')
    },

    recover() {
      for (const trigger of listTriggers(db, { states: ['failed'] })) {
        if (!isOperators(trigger) || escalations.isRaised(itemOf(trigger))) continue
        raise(trigger)
      }
    },

    onSettled: (listener) => void listeners.add(listener),

    view: (trigger) => triggerView(context, trigger, deliverer().waitsFor(trigger)),
  }
}

/** A blocked thread is an item itself. Once it continues, its readers are prompted again. */
function isOperators(trigger: Trigger): trigger is TriggerIn<'failed'> {
  const { state } = trigger
  return state === 'failed' && !trigger.answered && trigger.code !== 'THREAD_AUTO_BLOCKED'
}

type Named = Pick<Trigger, 'id' | 'mark'>

/** The same text for the new trigger: an envelope names its trigger, a task only has a mark. */
function renamed(old: Trigger, id: string, mark: string): string {
  return old.text
    .replace(`[tb:${old.mark}]`, `[tb:${mark}]`)
    .replace(`[BRIDGE_TRIGGER id=${old.id} `, `[BRIDGE_TRIGGER id=${id} `)
}

function requireOpenThread({ db }: SupervisorContext, threadId: string, agentId: string): void {
  const thread = readThread(db, threadId)
  if (!thread) {
    throw new TrailBossError('NOT_FOUND', `There is no thread "${short(threadId)}".`, {
      hint: 'trailboss thread list names them.',
    })
  }
  requireParticipant(thread, agentId)
  if (thread.state.kind === 'closed') {
    throw new TrailBossError('THREAD_CLOSED', `Thread ${threadId} is closed.`)
  }
  if (thread.state.kind === 'blocked') {
    throw new TrailBossError('THREAD_BLOCKED', `Thread ${threadId} is blocked until you decide.`, {
      hint: `trailboss thread unblock ${threadId}, or close it.`,
    })
  }
}

function defaultText(threadId: string | undefined): string {
  if (threadId !== undefined) {
    return `Read your unread messages of thread ${threadId} with read_messages, go on with your work, then report your progress with post_message.`
  }
  throw new TrailBossError('BAD_REQUEST', 'There is no text to send.', {
    hint: 'Say it with --text or --file, or name a --thread to be read.',
  })
}

function short(name: string): string {
  return truncate(displayLine(name), 80)
}
