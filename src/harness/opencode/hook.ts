import type { AgentEvent } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { Claim, Hook } from '../adapter/adapter.ts'
import { stoppedAsk, type Wanted } from '../adapter/ask-text.ts'
import { eventFromHook, type HookPayload, parseHookPayload } from '../adapter/hook-payload.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { permissionAsk, questionWanted, turnError } from './ask.ts'
import { HARNESS } from './name.ts'

/**
 * What an event that our plugin passed on claims. opencode also reports busy while it waits for a permission
 * (1.18.33), so that is a sign of life and lifts nothing: only the reply does.
 */
export function hookEvents(hook: Hook): AgentEvent[] {
  const payload = parseHookPayload('opencode', hook.payload)
  const at = timeOf(payload, hook)
  return claimsOf(payload).map((claim) => ({
    ...eventFromHook(HARNESS, hook, payload),
    at,
    detail: detailOf(payload),
    ...(payload.agent_id !== undefined && { subagent: payload.agent_id }),
    ...claim,
  }))
}

function claimsOf(payload: HookPayload): Claim[] {
  switch (payload.hook_event_name) {
    case 'session.shown':
      return [{ kind: 'started' }]
    case 'session.left':
      return [{ kind: 'ended' }]
    case 'chat.message':
      return [prompted(payload)]
    case 'prompt.marked':
      return [{ kind: 'seen', ...withMarks(payload['marks']) }]
    case 'session.status':
      return [{ kind: 'seen' }]
    case 'session.idle':
      return [stopped(payload)]
    case 'session.error':
      return [{ kind: 'stuck', reason: 'stopped', ...turnError(objectOf(payload['error'])) }]
    case 'permission.asked':
      return [blocked(payload['id'], { ask: permissionAsk(payload) })]
    case 'question.asked':
      return [blocked(payload['id'], questionWanted(payload['questions']))]
    case 'permission.replied':
    case 'question.replied':
    case 'question.rejected':
      return [{ kind: 'unstuck', ...named(payload['requestID']) }]
    default:
      return []
  }
}

/** After a compaction, for example, opencode prompts itself. */
function prompted(payload: HookPayload): Claim {
  if (payload['synthetic'] === true) return { kind: 'unstuck' }
  return { kind: 'unstuck', prompt: true, ...withMarks(payload['marks']) }
}

/** An error comes just before the end of its turn, which opencode reports twice. */
function stopped(payload: HookPayload): Claim {
  const failed = textOf(objectOf(payload['error'])['name'])
  const wanted = failed
    ? turnError(objectOf(payload['error']))
    : { ask: stoppedAsk(textOf(payload['message'])?.trim()) }
  return { kind: 'stuck', reason: 'stopped', ...wanted }
}

function blocked(id: unknown, wanted: Wanted): Claim {
  return { kind: 'stuck', reason: 'permission', ...named(id), ...wanted }
}

function named(id: unknown): { block?: string } {
  const name = textOf(id)
  return name === undefined ? {} : { block: truncate(name, 200) }
}

/** When opencode reported it: two processes pass on two simultaneous events, in any order. */
function timeOf(payload: HookPayload, { at: passedOnAt }: Hook): number {
  const reportedAt = payload['at']
  if (typeof reportedAt !== 'number' || !Number.isSafeInteger(reportedAt)) return passedOnAt
  return Math.abs(passedOnAt - reportedAt) <= MOST_DELAY_MS ? reportedAt : passedOnAt
}

const MOST_DELAY_MS = 10_000

function detailOf(payload: HookPayload): string {
  const about =
    textOf(payload['permission']) ??
    textOf(payload['reply']) ??
    textOf(payload['status']) ??
    textOf(objectOf(payload['error'])['name'])
  return truncate(about ? `${payload.hook_event_name} ${about}` : payload.hook_event_name, 120)
}
