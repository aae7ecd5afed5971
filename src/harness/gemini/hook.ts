import type { AgentEvent } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { Claim, Hook } from '../adapter/adapter.ts'
import { eventFromHook, type HookPayload, parseHookPayload } from '../adapter/hook-payload.ts'
import { isPromptedOnce } from '../adapter/node-script.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { ASKING, answerAsk, dialogWanted, questionAsk } from './ask.ts'
import { dialogKey, dialogOf, toolKey } from './block-key.ts'
import { HARNESS } from './name.ts'

/**
 * What one hook of Gemini CLI claims. Approving fires nothing before the tool has ended, and denying,
 * which ends the turn, fires nothing at all (0.61.0): the title and the transcript show those.
 */
export function hookEvents(hook: Hook): AgentEvent[] {
  const payload = parseHookPayload('Gemini CLI', hook.payload)
  return claimsOf(payload).map((claim) => ({
    ...eventFromHook(HARNESS, hook, payload),
    ...(hook.process && { headless: isPromptedOnce(hook.process) }),
    detail: detailOf(payload),
    ...claim,
  }))
}

function claimsOf(payload: HookPayload): Claim[] {
  switch (payload.hook_event_name) {
    case 'SessionStart':
      return [{ kind: 'started' }]
    case 'SessionEnd':
      return [{ kind: 'ended' }]
    case 'BeforeAgent':
      return [{ kind: 'unstuck', prompt: true, ...withMarks(payload['prompt']) }]
    case 'BeforeTool':
      return beforeTool(payload)
    case 'Notification':
      return notification(payload)
    case 'AfterTool':
      return afterTool(payload)
    case 'AfterAgent':
      return [stopped(payload)]
    default:
      return []
  }
}

/** It fires before the dialog; the hook for a question's dialog only has its kind. */
function beforeTool(payload: HookPayload): Claim[] {
  const tool = payload.tool_name ?? 'tool'
  if (!ASKING.has(tool)) return [{ kind: 'seen' }]
  const ask = questionAsk(tool, payload['tool_input'])
  return [{ kind: 'stuck', reason: 'permission', label: 'asks', block: `question ${tool}`, ask }]
}

function notification(payload: HookPayload): Claim[] {
  if (payload['notification_type'] !== 'ToolPermission') return []
  const details = objectOf(payload['details'])
  const block = dialogKey(details, payload.cwd)
  const wanted = dialogWanted(details, textOf(payload['message']))
  return [{ kind: 'stuck', reason: 'permission', ...wanted, ...(block !== undefined && { block }) }]
}

function afterTool(payload: HookPayload): Claim[] {
  const tool = payload.tool_name ?? 'tool'
  if (!ASKING.has(tool)) return [{ kind: 'unstuck', block: toolKey(tool, payload, payload.cwd) }]
  return [
    { kind: 'unstuck', block: `question ${tool}` },
    { kind: 'unstuck', block: dialogOf(tool) },
  ]
}

/** Also the end of an interrupted or failed turn. */
function stopped(payload: HookPayload): Claim {
  const ask = answerAsk(payload['prompt_response'])
  return { kind: 'stuck', reason: 'stopped', ...(ask && { ask }) }
}

function detailOf(payload: HookPayload): string {
  const about =
    payload.tool_name ??
    textOf(objectOf(payload['details'])['type']) ??
    textOf(payload['source']) ??
    textOf(payload['reason'])
  return truncate(about ? `${payload.hook_event_name} ${about}` : payload.hook_event_name, 120)
}
