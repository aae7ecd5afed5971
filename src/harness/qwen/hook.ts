import type { AgentEvent } from '../../core/session/event.ts'
import type { Claim, Hook } from '../adapter/adapter.ts'
import { eventFromHook, type HookPayload, parseHookPayload } from '../adapter/hook-payload.ts'
import { isPromptedOnce } from '../adapter/node-script.ts'
import { hookClaims, hookDetail } from '../claude-code/hook.ts'
import { HARNESS } from './name.ts'

/**
 * What one hook of Qwen Code claims. They are Claude Code's with two differences (0.24.4): a tool begins
 * only after its approval, and after an interruption or a denial Qwen Code only reports that it is idle, as it
 * does at the end of every turn.
 */
export function hookEvents(hook: Hook): AgentEvent[] {
  const payload = parseHookPayload('Qwen Code', hook.payload)
  return claimsOf(payload).map((claim) => ({
    ...eventFromHook(HARNESS, hook, payload),
    ...(hook.process && { headless: isPromptedOnce(hook.process) }),
    detail: hookDetail(payload),
    ...claim,
  }))
}

function claimsOf(payload: HookPayload): Claim[] {
  switch (payload.hook_event_name) {
    case 'UserPromptSubmit':
      // The results of tools are submitted as well, without a text.
      return payload['prompt'] === '' ? [] : hookClaims(payload)
    case 'PermissionRequest':
      return hookClaims(inClaudesWords(payload)).map((claim) => withOwnTool(claim, payload))
    case 'PreToolUse':
      return hookClaims({ ...inClaudesWords(payload), hook_event_name: 'PostToolUse' })
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return hookClaims(inClaudesWords(payload))
    case 'Notification':
      return payload['notification_type'] === 'idle_prompt'
        ? [{ kind: 'stuck', reason: 'stopped' }]
        : []
    case 'StopFailure':
      return hookClaims({
        ...payload,
        last_assistant_message: payload['error_details'] ?? payload['last_assistant_message'],
      })
    case 'SessionStart':
    case 'SessionEnd':
    case 'Stop':
      return hookClaims(payload)
    default:
      return []
  }
}

/** The same tools with the same inputs, under other names. */
const CLAUDES_NAMES: ReadonlyMap<string, string> = new Map([
  ['run_shell_command', 'Bash'],
  ['write_file', 'Write'],
  ['edit', 'Edit'],
  ['notebook_edit', 'NotebookEdit'],
  ['web_fetch', 'WebFetch'],
  ['ask_user_question', 'AskUserQuestion'],
  ['exit_plan_mode', 'ExitPlanMode'],
])

function inClaudesWords(payload: HookPayload): HookPayload {
  const name = payload.tool_name && CLAUDES_NAMES.get(payload.tool_name)
  return name === undefined ? payload : { ...payload, tool_name: name }
}

function withOwnTool(claim: Claim, { tool_name }: HookPayload): Claim {
  return claim.ask && tool_name ? { ...claim, ask: { ...claim.ask, tool: tool_name } } : claim
}
