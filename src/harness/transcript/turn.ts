import type { AgentEvent, Ask } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import type { Claim, TranscriptReader } from '../adapter/adapter.ts'
import { stoppedAsk, type Wanted } from '../adapter/ask-text.ts'
import { type JsonObject, objectOf, timeOf } from '../config-edit/json-value.ts'

/** What one turn leaves open, and its last message. Its size is bounded. */
export type Turn = {
  readonly session: string
  /** Tools without a result yet. */
  readonly pending: readonly PendingTool[]
  /** The assistant's last text in this turn. */
  readonly text: string
  /** How the turn ended; undefined while it continues. */
  readonly stop: Wanted | undefined
  /** The beginning of a turn was read, and so everything in the current one. */
  readonly hasBegun: boolean
}

export type PendingTool = {
  readonly id: string
  readonly key: string
  /** The message that contained the tool, if one message can have several. */
  readonly message?: string
  /** Absent if too many are pending to keep what each of them asks. */
  readonly ask?: Ask
}

/** The state after a record, and what the record claims. */
export type Step<State> = { state: State; claim?: Claim }

const MAX_PENDING = 64
/** They are asked about one after the other, so the oldest few are enough. */
const MAX_PENDING_ASKS = 4
const MAX_PENDING_ASK_CHARS = 4_000
export const MAX_ID_CHARS = 200

/** Reads a transcript whose records each belong to a turn; `more` is what else a harness keeps. */
export function turnReader<More extends object>(
  harness: string,
  more: More,
  step: (state: Turn & More, line: JsonObject) => Step<Turn & More> | undefined,
  about: (state: Turn & More, line: JsonObject) => Pick<AgentEvent, 'cwd' | 'headless'>,
): TranscriptReader<Turn & More> {
  return {
    start: (session) => ({
      session,
      pending: [],
      text: '',
      stop: undefined,
      hasBegun: false,
      ...more,
    }),
    isLacking: ({ stop, text, hasBegun }) =>
      stop?.ask.text === stoppedAsk(undefined).text && text === '' && !hasBegun,
    read(before, record) {
      const line = objectOf(record)
      const { state, claim } = step(before, line) ?? { state: before }
      const at = timeOf(line['timestamp'])
      if (!claim || at === undefined) return { state }
      const pending = state.pending.flatMap(({ ask }) => ask ?? [])
      const event: AgentEvent = {
        v: 1,
        harness,
        session: state.session,
        at,
        source: 'transcript',
        ...about(state, line),
        ...(pending.length > 0 && { pending }),
        ...claim,
        detail: truncate(claim.detail ?? claim.kind, 120),
      }
      return { state, event }
    },
  }
}

export function goesOn<State extends Turn>(
  state: State,
  kind: 'seen' | 'unstuck',
  detail: string,
  block?: string,
): Required<Step<State>> {
  const claim = block === undefined ? { kind, detail } : { kind, detail, block }
  return { state: { ...state, stop: undefined }, claim }
}

export function stops<State extends Turn>(
  state: State,
  stop: Wanted,
  detail: string,
): Required<Step<State>> {
  return {
    state: { ...state, pending: [], stop },
    claim: { kind: 'stuck', reason: 'stopped', ...stop, detail },
  }
}

/** Waits for an answer to the block. */
export function waits<State extends Turn>(
  state: State,
  block: string,
  wanted: Wanted,
  detail: string,
): Step<State> {
  const claim = { kind: 'stuck', reason: 'permission', block, ...wanted, detail } as const
  return { state: { ...state, stop: undefined }, claim }
}

export function bounded(tools: readonly PendingTool[]): readonly PendingTool[] {
  return tools.slice(-MAX_PENDING).map((tool, index) => {
    const { ask, ...rest } = tool
    return index < MAX_PENDING_ASKS ? tool : rest
  })
}

export function pendingAsk(name: string, { text }: Ask): Ask {
  return { text: truncate(text, MAX_PENDING_ASK_CHARS), tool: truncate(name, MAX_ID_CHARS) }
}
