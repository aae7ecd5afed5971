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
import { countOf, type JsonObject, listOf, objectOf, textOf, timeOf } from '../edit/json-value.ts'
import { apiError, asksTheHuman, tasksNote, toolAsk, toolWanted } from './ask.ts'
import { blockKey } from './block-key.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What the transcript's main thread claims, line by line. A tool that waits for permission and one that
 * runs look the same here, so an ordinary tool_use is only a sign of life.
 *
 * A denial is the tool's result and then, unless the human gave a reason to go on with, the interrupt
 * line: so a result lifts its own permission, and what follows says whether the turn is over.
 */
export const transcriptReader: TranscriptReader<TranscriptState> = {
  start: (session) => ({
    session,
    pending: [],
    text: '',
    stop: undefined,
    sentBack: false,
    hasBegun: false,
  }),
  isLacking: ({ stop, text, hasBegun }) =>
    stop?.ask.text === stoppedAsk(undefined).text && text === '' && !hasBegun,
  read(state, record) {
    const line = objectOf(record)
    const told = line['isSidechain'] === true ? undefined : toldBy(state, line)
    if (!told) return { state }
    const at = timeOf(line['timestamp'])
    if (!told.claim || at === undefined) return { state: told.state }
    return { state: told.state, event: eventOf(told.state, line, at, told.claim) }
  },
}

/** Bounded: what one turn leaves open, and what it said last. */
export type TranscriptState = {
  readonly session: string
  /** Tool uses without a result yet. */
  readonly pending: readonly PendingTool[]
  /** The last text of the assistant in this turn. */
  readonly text: string
  /** How the turn ended; undefined while it goes on. */
  readonly stop: Wanted | undefined
  /** A Stop hook refused the end of the turn. */
  readonly sentBack: boolean
  /** The beginning of a turn was read, and so all that was said in the one that is on now. */
  readonly hasBegun: boolean
}

type PendingTool = {
  readonly id: string
  readonly message: string
  readonly key: string
  /** Absent where too many are pending to keep what each of them asks. */
  readonly ask?: Ask
}

type Claim = Pick<AgentEvent, 'kind' | 'detail'> &
  Partial<Pick<AgentEvent, 'reason' | 'label' | 'ask' | 'note' | 'prompt' | 'marks' | 'block'>>
type Told = { state: TranscriptState; claim?: Claim }

const MAX_PENDING = 64
/** They are asked about one after the other, so the oldest few are enough. */
const MAX_PENDING_ASKS = 4
const MAX_PENDING_ASK_CHARS = 4_000
const MAX_ID_CHARS = 200
const TURN_ENDS = new Set<unknown>(['end_turn', 'stop_sequence', 'max_tokens', 'refusal'])
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/
const COMMAND_WRAPPER =
  /^\s*<(?:command-|local-command-|bash-(?:input|stdout|stderr)>|system-reminder>)/

function toldBy(state: TranscriptState, line: JsonObject): Told | undefined {
  switch (line['type']) {
    case 'assistant':
      return line['isMeta'] === true ? undefined : assistantTold(state, line)
    case 'user':
      return userTold(state, line)
    case 'system':
      return line['isMeta'] === true ? undefined : systemTold(state, line)
    case 'queue-operation':
      return queueTold(state, line)
    default:
      return undefined
  }
}

/** One line per content block; the lines of one message share its id. */
function assistantTold(state: TranscriptState, line: JsonObject): Told {
  const message = objectOf(line['message'])
  const blocks = blocksOf(message['content'])
  const said = blocks.findLast((block) => block['type'] === 'text')?.['text']
  if (line['isApiErrorMessage'] === true) {
    return stops(state, apiError(textOf(line['error']), textOf(said)), 'assistant API error')
  }
  const tools = blocks.filter((block) => block['type'] === 'tool_use')
  const next: TranscriptState = {
    ...state,
    pending: withTools(state.pending, message['id'], tools, textOf(line['cwd'])),
    text: message['model'] === '<synthetic>' ? state.text : (lastWords(said) ?? state.text),
    sentBack: false,
  }
  const question = tools.find((tool) => asksTheHuman(textOf(tool['name']) ?? ''))
  if (question) {
    const name = textOf(question['name']) ?? ''
    const block = blockKey(name, question['input'], textOf(line['cwd']))
    const claim: Claim = {
      kind: 'stuck',
      reason: 'permission',
      block,
      ...toolWanted(name, question['input']),
      detail: `tool_use ${name}`,
    }
    return { state: { ...next, stop: undefined }, claim }
  }
  const tool = textOf(tools[0]?.['name'])
  if (tools.length > 0) return goesOn(next, 'seen', tool ? `tool_use ${tool}` : 'tool_use')
  if (next.pending.length > 0 || !TURN_ENDS.has(message['stop_reason'])) {
    return goesOn(next, 'seen', 'assistant')
  }
  return stops(next, { ask: stoppedAsk(textOf(next.text)) }, `assistant ${message['stop_reason']}`)
}

function userTold(state: TranscriptState, line: JsonObject): Told | undefined {
  if (line['isCompactSummary'] === true || line['isVisibleInTranscriptOnly'] === true) return
  const blocks = blocksOf(objectOf(line['message'])['content'])
  const text = textOf(blocks.find((block) => block['type'] === 'text')?.['text']) ?? ''
  if (line['isMeta'] === true) {
    if (!text.startsWith('Stop hook feedback')) return undefined
    return goesOn({ ...state, sentBack: true }, 'seen', 'stop hook feedback')
  }
  const results = blocks.filter((block) => block['type'] === 'tool_result')
  if (results.length > 0) return resultsTold(state, results)
  const origin = textOf(objectOf(line['origin'])['kind'])
  if (origin === undefined && INTERRUPTED.test(text)) {
    return stops(state, INTERRUPTED_BY_OPERATOR, 'interrupted')
  }
  const turnOrigin = textOf(line['turnOrigin'])
  const byMachine =
    (origin ?? 'human') !== 'human' ||
    (turnOrigin ?? 'human') !== 'human' ||
    text.startsWith('<task-notification>')
  if (byMachine) return goesOn(state, 'seen', `user ${origin ?? turnOrigin ?? 'task-notification'}`)
  // Commands of the program itself start no turn, unless the line says that one began with it.
  const startsTurn = blocks.length > 0 && !COMMAND_WRAPPER.test(text)
  if (!startsTurn && turnOrigin === undefined) return undefined
  const texts = blocks.map((block) => (block['type'] === 'text' ? block['text'] : undefined))
  const told = prompted({ ...state, pending: [], text: '', hasBegun: true }, 'user prompt')
  return { ...told, claim: { ...told.claim, ...withMarks(...texts) } }
}

function queueTold(state: TranscriptState, line: JsonObject): Told | undefined {
  // Written down before the last lines of the turn that has ended: those are still to come.
  if (line['operation'] === 'dequeue') return prompted(state, 'dequeue')
  if (line['reason'] !== 'absorbed_mid_turn') return undefined
  const marks = withMarks(line['content'])
  return marks.marks && { state, claim: { kind: 'seen', ...marks, detail: 'absorbed mid turn' } }
}

function resultsTold(state: TranscriptState, results: readonly JsonObject[]): Told {
  const ids = new Set(results.map((result) => result['tool_use_id']))
  const answered = state.pending.filter((tool) => ids.has(tool.id))
  const pending = state.pending.filter((tool) => !ids.has(tool.id))
  const next = { ...state, pending }
  const [tool] = answered
  // Of a tool whose start was not read nothing is known but that it ran.
  if (!tool) return goesOn(next, 'seen', 'tool_result')
  if (answered.length > 1 && pending.length === 0) return goesOn(next, 'unstuck', 'tool_result')
  return goesOn(next, 'unstuck', 'tool_result', tool.key)
}

function systemTold(state: TranscriptState, line: JsonObject): Told | undefined {
  const wanted = state.stop ?? { ask: stoppedAsk(textOf(state.text)) }
  switch (line['subtype']) {
    case 'turn_duration': {
      const told = stops(state, wanted, 'turn_duration')
      const note = tasksNote(countOf(line['pendingBackgroundAgentCount']))
      return { ...told, claim: { ...told.claim, ...note } }
    }
    case 'stop_hook_summary':
      return state.sentBack ? undefined : stops(state, wanted, 'stop_hook_summary')
    case 'compact_boundary':
      // The program compacts by itself in the middle of a turn, which then goes on.
      return objectOf(line['compactMetadata'])['trigger'] === 'auto'
        ? goesOn(state, 'seen', 'compact_boundary auto')
        : stops(state, wanted, 'compact_boundary')
    default:
      return undefined
  }
}

/** A turn begins, which the harness may not have published yet. */
function prompted(state: TranscriptState, detail: string): Required<Told> {
  const told = goesOn(state, 'unstuck', detail)
  return { ...told, claim: { ...told.claim, prompt: true } }
}

function goesOn(
  state: TranscriptState,
  kind: 'seen' | 'unstuck',
  detail: string,
  block?: string,
): Required<Told> {
  const claim: Claim = block === undefined ? { kind, detail } : { kind, detail, block }
  return { state: { ...state, stop: undefined }, claim }
}

function stops(state: TranscriptState, stop: Wanted, detail: string): Required<Told> {
  return {
    state: { ...state, pending: [], stop, sentBack: false },
    claim: { kind: 'stuck', reason: 'stopped', ...stop, detail },
  }
}

/** A new message means that every tool of the ones before it was answered. */
function withTools(
  pending: readonly PendingTool[],
  messageId: unknown,
  tools: readonly JsonObject[],
  cwd: string | undefined,
): readonly PendingTool[] {
  const message = (textOf(messageId) ?? '').slice(0, MAX_ID_CHARS)
  const added = tools.flatMap((tool) => {
    const id = textOf(tool['id'])
    const name = textOf(tool['name'])
    if (!id || id.length > MAX_ID_CHARS || !name) return []
    return [{ id, message, key: blockKey(name, tool['input'], cwd), ask: pendingAsk(name, tool) }]
  })
  const known = new Set(added.map((tool) => tool.id))
  const kept = pending.filter((tool) => tool.message === message && !known.has(tool.id))
  return [...kept, ...added].slice(-MAX_PENDING).map((tool, index) => {
    if (index < MAX_PENDING_ASKS) return tool
    const { ask: _, ...rest } = tool
    return rest
  })
}

function pendingAsk(name: string, tool: JsonObject): Ask {
  const { text } = toolAsk(name, tool['input'])
  return { text: truncate(text, MAX_PENDING_ASK_CHARS), tool: truncate(name, MAX_ID_CHARS) }
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).map(objectOf)
}

function lastWords(said: unknown): string | undefined {
  const text = textOf(said)
  return text && truncate(text, MAX_ASK_CHARS)
}

function eventOf(
  { session, pending }: TranscriptState,
  line: JsonObject,
  at: number,
  claim: Claim,
): AgentEvent {
  const asks = pending.flatMap(({ ask }) => ask ?? [])
  const cwd = textOf(line['cwd'])
  const entrypoint = textOf(line['entrypoint'])
  return {
    v: 1,
    harness: HARNESS,
    session,
    at,
    source: 'transcript',
    ...(cwd?.startsWith('/') && cwd.length <= 4096 && { cwd }),
    ...(entrypoint !== undefined && { headless: entrypoint !== 'cli' }),
    ...(asks.length > 0 && { pending: asks }),
    ...claim,
    detail: truncate(claim.detail ?? claim.kind, 120),
  }
}
