import { type AgentEvent, JOB_NAME } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { Claim, Hook } from '../adapter/adapter.ts'
import { plainAsk, stoppedAsk } from '../adapter/ask-text.ts'
import { eventFromHook, type HookPayload, parseHookPayload } from '../adapter/hook-payload.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'
import { apiError, elicitationAsk, runningTasks, tasksNote, toolWanted } from './ask.ts'
import { blockKey, elicitationKey } from './block-key.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What one hook of Claude Code claims. Approving, denying and interrupting fire no hook at all: the
 * status file and the transcript show those.
 */
export function hookEvents(hook: Hook): AgentEvent[] {
  if (isOfAnotherProgram(hook)) return []
  const payload = parseHookPayload('Claude Code', hook.payload)
  const headless = hook.entrypoint === undefined ? undefined : hook.entrypoint !== 'cli'
  const job = jobOf(hook, payload)
  // A worker starts before anybody wants a session of it. Its status file says when one begins.
  if (job !== undefined && payload.hook_event_name === 'SessionStart') return []
  return hookClaims(payload).map((claim) => ({
    ...eventFromHook(HARNESS, hook, payload),
    ...(headless !== undefined && { headless }),
    ...(job !== undefined && { job }),
    detail: hookDetail(payload),
    ...claim,
  }))
}

/** Cursor, Grok and Devin run the hooks in Claude Code's settings as well, for sessions of their own. */
function isOfAnotherProgram({ runner, payload }: Hook): boolean {
  const { cursor_version, hookEventName } = objectOf(payload)
  return runner !== undefined || cursor_version !== undefined || hookEventName !== undefined
}

/** The variable is inherited by what the job runs; its name begins the id of its session alone (2.1.325). */
function jobOf({ job }: Hook, { session_id }: HookPayload): string | undefined {
  return job && JOB_NAME.test(job) && session_id.startsWith(job) ? job : undefined
}

/** Also used for a harness whose hooks are modelled on these. */
export function hookClaims(payload: HookPayload): Claim[] {
  const subagent = payload.agent_id === undefined ? {} : { subagent: payload.agent_id }
  switch (payload.hook_event_name) {
    case 'SessionStart':
      // A compaction says nothing about waiting: a manual one ends where it began, at an idle prompt, and no Stop
      // follows it (2.1.325).
      return payload['source'] === 'compact' ? [] : [{ kind: 'started' }]
    case 'SessionEnd':
      return [{ kind: 'ended' }]
    case 'UserPromptSubmit':
      return [
        isMachineMade(payload['prompt'])
          ? { kind: 'seen' }
          : { kind: 'unstuck', prompt: true, ...withMarks(payload['prompt']) },
      ]
    case 'PreToolUse':
      return [{ kind: 'seen', ...subagent }]
    case 'PermissionRequest':
      return [
        {
          kind: 'stuck',
          reason: 'permission',
          block: toolBlock(payload),
          ...toolWanted(toolName(payload), payload['tool_input']),
          ...subagent,
        },
      ]
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return [{ kind: 'unstuck', block: toolBlock(payload), ...subagent }]
    case 'Stop': {
      const message = textOf(payload['last_assistant_message'])
      const note = tasksNote(runningTasks(payload['background_tasks']))
      return [{ kind: 'stuck', reason: 'stopped', ask: stoppedAsk(message), ...note, ...subagent }]
    }
    case 'StopFailure': {
      const message = textOf(payload['last_assistant_message'])
      const wanted = apiError(textOf(payload['error']), message)
      return [{ kind: 'stuck', reason: 'stopped', ...wanted, ...subagent }]
    }
    case 'SubagentStop':
      // The subagents of /compact have no agent_type, were never announced and ask for nothing.
      return payload.agent_id === undefined || payload['agent_type'] === ''
        ? []
        : [{ kind: 'unstuck', ...subagent }]
    case 'Elicitation': {
      const ask = elicitationAsk(mcpServer(payload), payload)
      const block = elicitationBlock(payload)
      return [{ kind: 'stuck', reason: 'permission', label: 'asks', block, ask, ...subagent }]
    }
    case 'ElicitationResult':
      return [{ kind: 'unstuck', block: elicitationBlock(payload), ...subagent }]
    case 'Notification':
      return notificationClaims(payload, subagent)
    default:
      return []
  }
}

/**
 * In auto mode a prompt can appear without any PermissionRequest; this notification, six seconds later, is then
 * the only sign of it. It names no tool, and is not sent if the prompt was answered by then.
 */
function notificationClaims(payload: HookPayload, subagent: { subagent?: string }): Claim[] {
  const type = payload['notification_type']
  if (type !== 'permission_prompt' && type !== 'elicitation_dialog') return []
  const ask = plainAsk(textOf(payload['message']) ?? 'Needs your permission.')
  const label = type === 'elicitation_dialog' ? 'asks' : 'permission'
  return [{ kind: 'stuck', reason: 'permission', label, ask, ...subagent }]
}

/** Background tasks report their end as a prompt that no human typed. */
function isMachineMade(prompt: unknown): boolean {
  return typeof prompt === 'string' && prompt.trimStart().startsWith('<task-notification>')
}

function toolName(payload: HookPayload): string {
  return payload.tool_name ?? 'tool'
}

function toolBlock(payload: HookPayload): string {
  return blockKey(toolName(payload), payload['tool_input'], payload.cwd)
}

function mcpServer(payload: HookPayload): string {
  return textOf(payload['mcp_server_name']) ?? 'unknown'
}

function elicitationBlock(payload: HookPayload): string {
  return elicitationKey(mcpServer(payload), textOf(payload['elicitation_id']))
}

export function hookDetail(payload: HookPayload): string {
  const about =
    payload.tool_name ??
    textOf(payload['notification_type']) ??
    textOf(payload['source']) ??
    textOf(payload['reason']) ??
    textOf(payload['error'])
  return truncate(about ? `${payload.hook_event_name} ${about}` : payload.hook_event_name, 120)
}
