import type { AgentEvent, Ask } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { TranscriptReader } from '../adapter/adapter.ts'
import {
  INTERRUPTED_BY_OPERATOR,
  MAX_ASK_CHARS,
  stoppedAsk,
  type Wanted,
} from '../adapter/ask-text.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { type JsonObject, listOf, objectOf, textOf, timeOf } from '../edit/json-value.ts'
import { QUESTION_TOOL, toolAsk, toolWanted, turnError } from './ask.ts'
import { blockKey } from './block-key.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What the rollout claims, record by record. A tool that waits for permission and one that runs look
 * the same here: approving is not written down. Only the rollout shows that a turn failed.
 */
export const transcriptReader: TranscriptReader<RolloutState> = {
  start: (session) => ({
    session,
    pending: [],
    text: '',
    stop: undefined,
    hasBegun: false,
    cwd: undefined,
    isHeadless: false,
  }),
  isLacking: ({ stop, text, hasBegun }) =>
    stop?.ask.text === stoppedAsk(undefined).text && text === '' && !hasBegun,
  read(state, record) {
    const line = objectOf(record)
    const told = toldBy(state, line['type'], objectOf(line['payload']))
    if (!told) return { state }
    const at = timeOf(line['timestamp'])
    if (!told.claim || at === undefined) return { state: told.state }
    return { state: told.state, event: eventOf(told.state, at, told.claim) }
  },
}

/** Bounded: what one turn leaves open, and what it said last. */
export type RolloutState = {
  readonly session: string
  /** Tools without a result yet. */
  readonly pending: readonly PendingTool[]
  /** The last words of the assistant in this turn. */
  readonly text: string
  /** How the turn ended; undefined while it goes on. */
  readonly stop: Wanted | undefined
  /** The beginning of a turn was read, and so all that was said in the one that is on now. */
  readonly hasBegun: boolean
  readonly cwd: string | undefined
  readonly isHeadless: boolean
}

type PendingTool = { readonly id: string; readonly key: string; readonly ask?: Ask }
type Claim = Pick<AgentEvent, 'kind' | 'detail'> &
  Partial<Pick<AgentEvent, 'reason' | 'label' | 'ask' | 'prompt' | 'marks' | 'block'>>
type Told = { state: RolloutState; claim?: Claim }

const MAX_PENDING = 64
const MAX_PENDING_ASKS = 4
const MAX_PENDING_ASK_CHARS = 4_000
const MAX_ID_CHARS = 200

function toldBy(state: RolloutState, type: unknown, payload: JsonObject): Told | undefined {
  switch (type) {
    case 'session_meta':
      return payload['id'] === state.session ? { state: withMeta(state, payload) } : undefined
    case 'event_msg':
      return eventTold(state, payload)
    case 'response_item':
      return itemTold(state, payload)
    default:
      return undefined
  }
}

/** The shared daemon calls the sessions of its terminals by another source, but by the same originator. */
function withMeta(state: RolloutState, { cwd, originator }: JsonObject): RolloutState {
  const path = textOf(cwd)
  return {
    ...state,
    cwd: path?.startsWith('/') && path.length <= 4096 ? path : state.cwd,
    isHeadless: textOf(originator) !== undefined && originator !== 'codex-tui',
  }
}

function eventTold(state: RolloutState, payload: JsonObject): Told | undefined {
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
      // A turn that another one takes the place of goes on in that.
      if (payload['reason'] === 'replaced') return undefined
      const detail = `turn_aborted ${textOf(payload['reason']) ?? ''}`.trim()
      return stops(state, INTERRUPTED_BY_OPERATOR, detail)
    }
    case 'item_completed': {
      const item = objectOf(payload['item'])
      if (item['type'] === 'UserMessage') return promptTold(state, item)
      // The assistant's message for a plan has tags around it; this is what is shown.
      const plan = item['type'] === 'Plan' ? textOf(item['text']) : undefined
      return plan === undefined ? undefined : { state: withWords(state, plan) }
    }
    default:
      return undefined
  }
}

/** Another record before it begins the turn; a prompt may also join a turn that is on. */
function promptTold(state: RolloutState, item: JsonObject): Told | undefined {
  const marks = withMarks(...listOf(item['content']).map((part) => objectOf(part)['text']))
  if (!marks.marks) return undefined
  return { state, claim: { kind: 'seen', ...marks, detail: 'UserMessage' } }
}

function itemTold(state: RolloutState, payload: JsonObject): Told | undefined {
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
      return toolTold(state, payload)
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const tool = state.pending.find(({ id }) => id === payload['call_id'])
      // Of a tool whose start was not read nothing is known but that it ran.
      if (!tool) return goesOn(state, 'seen', String(payload['type']))
      const pending = state.pending.filter((one) => one !== tool)
      return goesOn({ ...state, pending }, 'unstuck', String(payload['type']), tool.key)
    }
    default:
      return undefined
  }
}

function toolTold(state: RolloutState, payload: JsonObject): Told {
  const name = textOf(payload['name']) ?? 'local_shell'
  const input = inputOf(payload)
  const key = blockKey(name, input)
  const id = textOf(payload['call_id'])
  const isNamed = id !== undefined && id.length <= MAX_ID_CHARS
  const next = isNamed ? withTool(state, { id, key, ask: pendingAsk(name, input) }) : state
  const detail = `${payload['type']} ${name}`
  if (name !== QUESTION_TOOL) return goesOn(next, 'seen', detail)
  const wanted = toolWanted(name, input)
  const claim: Claim = { kind: 'stuck', reason: 'permission', block: key, ...wanted, detail }
  return { state: { ...next, stop: undefined }, claim }
}

/** A function's arguments are JSON in a text; a custom tool takes a bare text. */
function inputOf(payload: JsonObject): unknown {
  const given = payload['arguments'] ?? payload['action']
  if (typeof given !== 'string') return given ?? { input: payload['input'] }
  try {
    return JSON.parse(given)
  } catch {
    return { input: given }
  }
}

function withTool(state: RolloutState, tool: PendingTool): RolloutState {
  const kept = state.pending.filter(({ id }) => id !== tool.id)
  const pending = [...kept, tool].slice(-MAX_PENDING)
  return {
    ...state,
    pending: pending.map(({ id, key, ask }, index) =>
      index < MAX_PENDING_ASKS && ask ? { id, key, ask } : { id, key },
    ),
  }
}

function pendingAsk(name: string, input: unknown): Ask {
  const { text } = toolAsk(name, input)
  return { text: truncate(text, MAX_PENDING_ASK_CHARS), tool: truncate(name, MAX_ID_CHARS) }
}

function withWords(state: RolloutState, text: string): RolloutState {
  return { ...state, text: truncate(text, MAX_ASK_CHARS) }
}

function goesOn(
  state: RolloutState,
  kind: 'seen' | 'unstuck',
  detail: string,
  block?: string,
): Told {
  const claim: Claim = block === undefined ? { kind, detail } : { kind, detail, block }
  return { state: { ...state, stop: undefined }, claim }
}

function stops(state: RolloutState, stop: Wanted, detail: string): Told {
  return {
    state: { ...state, pending: [], stop },
    claim: { kind: 'stuck', reason: 'stopped', ...stop, detail },
  }
}

function eventOf(state: RolloutState, at: number, claim: Claim): AgentEvent {
  const { session, pending, cwd, isHeadless } = state
  const asks = pending.flatMap(({ ask }) => ask ?? [])
  return {
    v: 1,
    harness: HARNESS,
    session,
    at,
    source: 'transcript',
    ...(cwd !== undefined && { cwd }),
    ...(isHeadless && { headless: true }),
    ...(asks.length > 0 && { pending: asks }),
    ...claim,
    detail: truncate(claim.detail ?? claim.kind, 120),
  }
}
