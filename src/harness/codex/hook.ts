import type { AgentEvent } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { Claim, Hook } from '../adapter/adapter.ts'
import { INTERRUPTED_BY_OPERATOR, stoppedAsk } from '../adapter/ask-text.ts'
import { eventFromHook, type HookPayload, parseHookPayload } from '../adapter/hook-payload.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { textOf } from '../config-edit/json-value.ts'
import { QUESTION_TOOL, toolWanted } from './ask.ts'
import { blockKey } from './block-key.ts'
import { roleOf } from './process.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What one hook of Codex claims. Approving fires nothing before the tool has ended, and a turn that
 * fails fires nothing at all (0.166.0): the title and the rollout show those.
 */
export function hookEvents(hook: Hook): AgentEvent[] {
  const payload = parseHookPayload('Codex', hook.payload)
  const role = hook.process && roleOf(hook.process.argv)
  // A subagent's own rollout is not the session's.
  const { transcript, ...about } = eventFromHook(HARNESS, hook, payload)
  const isMain = payload.agent_id === undefined
  return claimsOf(payload).map((claim) => ({
    ...about,
    ...(isMain && transcript !== undefined && { transcript }),
    ...(role !== undefined && role !== 'daemon' && { headless: role === 'headless' }),
    detail: detailOf(payload),
    ...claim,
  }))
}

function claimsOf(payload: HookPayload): Claim[] {
  const subagent = payload.agent_id === undefined ? {} : { subagent: payload.agent_id }
  switch (payload.hook_event_name) {
    case 'SessionStart':
      // A start after a compaction is in the middle of a turn, or at the same prompt as before.
      return payload['source'] === 'compact' ? [] : [{ kind: 'started' }]
    case 'SessionEnd':
      return [{ kind: 'ended' }]
    case 'UserPromptSubmit':
      return payload.agent_id === undefined
        ? [{ kind: 'unstuck', prompt: true, ...withMarks(payload['prompt']) }]
        : []
    case 'PreToolUse':
      return payload.tool_name === QUESTION_TOOL
        ? [permission(payload, subagent)]
        : [{ kind: 'seen', ...subagent }]
    case 'PermissionRequest':
      return [permission(payload, subagent)]
    case 'PostToolUse':
      return [{ kind: 'unstuck', block: toolBlock(payload), ...subagent }]
    case 'Stop': {
      // A turn that ends with a plan has no message: the plan is in the rollout.
      const message = textOf(payload['last_assistant_message'])
      const ask = message === undefined ? {} : { ask: stoppedAsk(message) }
      return [{ kind: 'stuck', reason: 'stopped', ...ask, ...subagent }]
    }
    case 'Interrupt':
      return [{ kind: 'stuck', reason: 'stopped', ...INTERRUPTED_BY_OPERATOR, ...subagent }]
    case 'SubagentStop':
      return payload.agent_id === undefined ? [] : [{ kind: 'unstuck', ...subagent }]
    default:
      return []
  }
}

function permission(payload: HookPayload, subagent: { subagent?: string }): Claim {
  const wanted = toolWanted(toolName(payload), payload['tool_input'])
  return { kind: 'stuck', reason: 'permission', block: toolBlock(payload), ...wanted, ...subagent }
}

function toolName(payload: HookPayload): string {
  return payload.tool_name ?? 'tool'
}

function toolBlock(payload: HookPayload): string {
  return blockKey(toolName(payload), payload['tool_input'])
}

function detailOf(payload: HookPayload): string {
  const about = payload.tool_name ?? textOf(payload['source']) ?? textOf(payload['reason'])
  return truncate(about ? `${payload.hook_event_name} ${about}` : payload.hook_event_name, 120)
}
