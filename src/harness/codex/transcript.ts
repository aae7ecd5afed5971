import { truncate } from '../../core/text.ts'
import { INTERRUPTED_BY_OPERATOR, MAX_ASK_CHARS, stoppedAsk } from '../adapter/ask-text.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'
import {
  bounded,
  goesOn,
  MAX_ID_CHARS,
  pendingAsk,
  type Step,
  stops,
  type Turn,
  turnReader,
  waits,
} from '../transcript/turn.ts'
import { QUESTION_TOOL, toolAsk, toolWanted, turnError } from './ask.ts'
import { blockKey } from './block-key.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What the rollout claims, record by record. A tool that waits for permission and one that runs look the same
 * here, because approvals are not recorded. Only the rollout shows that a turn failed.
 */
export const transcriptReader = turnReader(
  HARNESS,
  { cwd: undefined, isHeadless: false },
  (state: RolloutState, line) => stepOf(state, line['type'], objectOf(line['payload'])),
  ({ cwd, isHeadless }) => ({
    ...(cwd !== undefined && { cwd }),
    ...(isHeadless && { headless: true }),
  }),
)

type RolloutState = Turn & { readonly cwd: string | undefined; readonly isHeadless: boolean }

function stepOf(
  state: RolloutState,
  type: unknown,
  payload: JsonObject,
): Step<RolloutState> | undefined {
  switch (type) {
    case 'session_meta':
      return payload['id'] === state.session ? { state: withMeta(state, payload) } : undefined
    case 'event_msg':
      return eventStep(state, payload)
    case 'response_item':
      return itemStep(state, payload)
    default:
      return undefined
  }
}

/** The shared daemon gives its terminals' sessions another source, but the same originator. */
function withMeta(state: RolloutState, { cwd, originator }: JsonObject): RolloutState {
  const path = textOf(cwd)
  return {
    ...state,
    cwd: path?.startsWith('/') && path.length <= 4096 ? path : state.cwd,
    isHeadless: textOf(originator) !== undefined && originator !== 'codex-tui',
  }
}

function eventStep(state: RolloutState, payload: JsonObject): Step<RolloutState> | undefined {
  const type = payload['type']
  switch (type) {
    case 'task_started': {
      const begun = { ...state, pending: [], text: '', stop: undefined, hasBegun: true }
      return { state: begun, claim: { kind: 'unstuck', prompt: true, detail: 'task_started' } }
    }
    case 'task_complete': {
      const error = objectOf(payload['error'])
      if ('message' in error) {
        return stops(state, turnError(textOf(error['message'])), 'task_complete error')
      }
      const said = textOf(payload['last_agent_message']) ?? textOf(state.text)
      return stops(state, { ask: stoppedAsk(said) }, 'task_complete')
    }
    case 'turn_aborted': {
      // A replaced turn continues in the one that replaces it.
      if (payload['reason'] === 'replaced') return undefined
      const detail = `turn_aborted ${textOf(payload['reason']) ?? ''}`.trim()
      return stops(state, INTERRUPTED_BY_OPERATOR, detail)
    }
    case 'item_completed': {
      const item = objectOf(payload['item'])
      if (item['type'] === 'UserMessage') return promptStep(state, item)
      // The assistant's message for a plan has tags around it; this is the text on the screen.
      const plan = item['type'] === 'Plan' ? textOf(item['text']) : undefined
      return plan === undefined ? undefined : { state: withWords(state, plan) }
    }
    default:
      return undefined
  }
}

/** An earlier record begins the turn; a prompt may also join the current turn. */
function promptStep(state: RolloutState, item: JsonObject): Step<RolloutState> | undefined {
  const marks = withMarks(...listOf(item['content']).map((part) => objectOf(part)['text']))
  if (!marks.marks) return undefined
  return { state, claim: { kind: 'seen', ...marks, detail: 'UserMessage' } }
}

function itemStep(state: RolloutState, payload: JsonObject): Step<RolloutState> | undefined {
  switch (payload['type']) {
    case 'message': {
      if (payload['role'] !== 'assistant') return undefined
      const said = listOf(payload['content']).map((part) => textOf(objectOf(part)['text']) ?? '')
      const text = said.join('').trim()
      const isPlan = text.startsWith('<proposed_plan>')
      return goesOn(isPlan || text === '' ? state : withWords(state, text), 'seen', 'message')
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return toolStep(state, payload)
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const tool = state.pending.find(({ id }) => id === payload['call_id'])
      // If the tool's start was not read, all we know is that it ran.
      if (!tool) return goesOn(state, 'seen', String(payload['type']))
      const pending = state.pending.filter((one) => one !== tool)
      return goesOn({ ...state, pending }, 'unstuck', String(payload['type']), tool.key)
    }
    default:
      return undefined
  }
}

function toolStep(state: RolloutState, payload: JsonObject): Step<RolloutState> {
  const name = textOf(payload['name']) ?? 'local_shell'
  const input = inputOf(payload)
  const key = blockKey(name, input)
  const id = textOf(payload['call_id'])
  const isNamed = id !== undefined && id.length <= MAX_ID_CHARS
  const others = state.pending.filter((tool) => tool.id !== id)
  const tool = { id: id ?? '', key, ask: pendingAsk(name, toolAsk(name, input)) }
  const next = isNamed ? { ...state, pending: bounded([...others, tool]) } : state
  const detail = `${payload['type']} ${name}`
  if (name !== QUESTION_TOOL) return goesOn(next, 'seen', detail)
  return waits(next, key, toolWanted(name, input), detail)
}

/** A function's arguments are JSON in a string; a custom tool takes a plain string. */
function inputOf(payload: JsonObject): unknown {
  const given = payload['arguments'] ?? payload['action']
  if (typeof given !== 'string') return given ?? { input: payload['input'] }
  try {
    return JSON.parse(given)
  } catch {
    return { input: given }
  }
}

function withWords(state: RolloutState, text: string): RolloutState {
  return { ...state, text: truncate(text, MAX_ASK_CHARS) }
}
