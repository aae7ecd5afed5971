import { truncate } from '../../core/text.ts'
import {
  INTERRUPTED_BY_OPERATOR,
  MAX_ASK_CHARS,
  stoppedAsk,
  type Wanted,
} from '../adapter/ask-text.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { countOf, type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'
import {
  bounded,
  goesOn,
  MAX_ID_CHARS,
  type PendingTool,
  pendingAsk,
  type Step,
  stops,
  type Turn,
  turnReader,
  waits,
} from '../transcript/turn.ts'
import { apiError, asksTheHuman, tasksNote, toolAsk, toolWanted } from './ask.ts'
import { blockKey } from './block-key.ts'
import { HARNESS } from './wiring/name.ts'

/**
 * What the transcript's main thread claims, line by line. A tool that waits for permission and one that
 * runs look the same here, so an ordinary tool_use is only a sign of life.
 *
 * A denial is the tool's result and then, unless the human gave a reason to continue with, the interrupt
 * line: so a result lifts its own permission, and what follows shows whether the turn is over.
 */
export const transcriptReader = turnReader(
  HARNESS,
  { sentBack: false },
  (state: TranscriptState, line) =>
    line['isSidechain'] === true ? undefined : stepOf(state, line),
  (_, line) => {
    const cwd = textOf(line['cwd'])
    const entrypoint = textOf(line['entrypoint'])
    return {
      ...(cwd?.startsWith('/') && cwd.length <= 4096 && { cwd }),
      ...(entrypoint !== undefined && { headless: entrypoint !== 'cli' }),
    }
  },
)

export type TranscriptState = Turn & {
  /** A Stop hook refused the end of the turn. */
  readonly sentBack: boolean
}

const TURN_ENDS = new Set<unknown>(['end_turn', 'stop_sequence', 'max_tokens', 'refusal'])
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/
const COMMAND_WRAPPER =
  /^\s*<(?:command-|local-command-|bash-(?:input|stdout|stderr)>|system-reminder>)/

function stepOf(state: TranscriptState, line: JsonObject): Step<TranscriptState> | undefined {
  switch (line['type']) {
    case 'assistant':
      return line['isMeta'] === true ? undefined : assistantStep(state, line)
    case 'user':
      return userStep(state, line)
    case 'system':
      return line['isMeta'] === true ? undefined : systemStep(state, line)
    case 'queue-operation':
      return queueStep(state, line)
    default:
      return undefined
  }
}

/** One line per content block; the lines of one message share its id. */
function assistantStep(state: TranscriptState, line: JsonObject): Step<TranscriptState> {
  const message = objectOf(line['message'])
  const blocks = blocksOf(message['content'])
  const said = blocks.findLast((block) => block['type'] === 'text')?.['text']
  if (line['isApiErrorMessage'] === true) {
    return ends(state, apiError(textOf(line['error']), textOf(said)), 'assistant API error')
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
    const wanted = toolWanted(name, question['input'])
    return waits(next, block, wanted, `tool_use ${name}`)
  }
  const tool = textOf(tools[0]?.['name'])
  if (tools.length > 0) return goesOn(next, 'seen', tool ? `tool_use ${tool}` : 'tool_use')
  if (next.pending.length > 0 || !TURN_ENDS.has(message['stop_reason'])) {
    return goesOn(next, 'seen', 'assistant')
  }
  return ends(next, { ask: stoppedAsk(textOf(next.text)) }, `assistant ${message['stop_reason']}`)
}

function userStep(state: TranscriptState, line: JsonObject): Step<TranscriptState> | undefined {
  if (line['isCompactSummary'] === true || line['isVisibleInTranscriptOnly'] === true) return
  const blocks = blocksOf(objectOf(line['message'])['content'])
  const text = textOf(blocks.find((block) => block['type'] === 'text')?.['text']) ?? ''
  if (line['isMeta'] === true) {
    if (!text.startsWith('Stop hook feedback')) return undefined
    return goesOn({ ...state, sentBack: true }, 'seen', 'stop hook feedback')
  }
  const results = blocks.filter((block) => block['type'] === 'tool_result')
  if (results.length > 0) return resultsStep(state, results)
  const origin = textOf(objectOf(line['origin'])['kind'])
  if (origin === undefined && INTERRUPTED.test(text)) {
    return ends(state, INTERRUPTED_BY_OPERATOR, 'interrupted')
  }
  const turnOrigin = textOf(line['turnOrigin'])
  const byMachine =
    (origin ?? 'human') !== 'human' ||
    (turnOrigin ?? 'human') !== 'human' ||
    text.startsWith('<task-notification>')
  if (byMachine) return goesOn(state, 'seen', `user ${origin ?? turnOrigin ?? 'task-notification'}`)
  // The program's own commands start no turn, unless the line says that one began with it.
  const startsTurn = blocks.length > 0 && !COMMAND_WRAPPER.test(text)
  if (!startsTurn && turnOrigin === undefined) return undefined
  const texts = blocks.map((block) => (block['type'] === 'text' ? block['text'] : undefined))
  const step = prompted({ ...state, pending: [], text: '', hasBegun: true }, 'user prompt')
  return { ...step, claim: { ...step.claim, ...withMarks(...texts) } }
}

function queueStep(state: TranscriptState, line: JsonObject): Step<TranscriptState> | undefined {
  // Written before the last lines of the turn that has ended: those are still to come.
  if (line['operation'] === 'dequeue') return prompted(state, 'dequeue')
  if (line['reason'] !== 'absorbed_mid_turn') return undefined
  const marks = withMarks(line['content'])
  return marks.marks && { state, claim: { kind: 'seen', ...marks, detail: 'absorbed mid turn' } }
}

function resultsStep(
  state: TranscriptState,
  results: readonly JsonObject[],
): Step<TranscriptState> {
  const ids = new Set(results.map((result) => result['tool_use_id']))
  const answered = state.pending.filter((tool) => ids.has(tool.id))
  const pending = state.pending.filter((tool) => !ids.has(tool.id))
  const next = { ...state, pending }
  const [tool] = answered
  // If the tool's start was not read, all we know is that it ran.
  if (!tool) return goesOn(next, 'seen', 'tool_result')
  if (answered.length > 1 && pending.length === 0) return goesOn(next, 'unstuck', 'tool_result')
  return goesOn(next, 'unstuck', 'tool_result', tool.key)
}

function systemStep(state: TranscriptState, line: JsonObject): Step<TranscriptState> | undefined {
  const wanted = state.stop ?? { ask: stoppedAsk(textOf(state.text)) }
  switch (line['subtype']) {
    case 'turn_duration': {
      const step = ends(state, wanted, 'turn_duration')
      const note = tasksNote(countOf(line['pendingBackgroundAgentCount']))
      return { ...step, claim: { ...step.claim, ...note } }
    }
    case 'stop_hook_summary':
      return state.sentBack ? undefined : ends(state, wanted, 'stop_hook_summary')
    case 'compact_boundary':
      // The program compacts by itself in the middle of a turn, which then continues.
      return objectOf(line['compactMetadata'])['trigger'] === 'auto'
        ? goesOn(state, 'seen', 'compact_boundary auto')
        : ends(state, wanted, 'compact_boundary')
    default:
      return undefined
  }
}

/** A turn begins, which the harness may not have published yet. */
function prompted(state: TranscriptState, detail: string): Required<Step<TranscriptState>> {
  const step = goesOn(state, 'unstuck', detail)
  return { ...step, claim: { ...step.claim, prompt: true } }
}

function ends(
  state: TranscriptState,
  stop: Wanted,
  detail: string,
): Required<Step<TranscriptState>> {
  return stops({ ...state, sentBack: false }, stop, detail)
}

/** A new message means that every earlier tool was answered. */
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
    const ask = pendingAsk(name, toolAsk(name, tool['input']))
    return [{ id, message, key: blockKey(name, tool['input'], cwd), ask }]
  })
  const known = new Set(added.map((tool) => tool.id))
  const kept = pending.filter((tool) => tool.message === message && !known.has(tool.id))
  return bounded([...kept, ...added])
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).map(objectOf)
}

function lastWords(said: unknown): string | undefined {
  const text = textOf(said)
  return text && truncate(text, MAX_ASK_CHARS)
}
