import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { DaemonClient } from '../client/daemon-client.ts'
import { askOperator, newDecisionId } from '../client/decision-asker.ts'
import { denial, NOT_ANSWERED, permissionAnswer } from '../client/permission-answer.ts'
import { resolvePaths } from '../config/paths.ts'
import { messageOf, TrailBossError } from '../core/errors.ts'

// The types have the shape of the SDK's own and name nothing of it: whoever imports this need not have it.

export type ToolInput = Record<string, unknown>

/** `updatedInput` is what the tool runs with: the operator's if they changed it. */
export type Allowed = { behavior: 'allow'; updatedInput: ToolInput }
/** The model reads `message`. */
export type Denied = { behavior: 'deny'; message: string }

/** What the SDK says of a call. It aborts the signal when nobody needs the answer any more. */
export type CallOptions = { signal: AbortSignal }

/** Why there is no answer of the operator: the question never reached the queue, or stayed there too long. */
export type Unanswered = { why: 'not-asked' | 'not-answered'; message: string }

export type Settings<Options extends CallOptions, Otherwise> = {
  /** Who asks, as the operator reads it; the file name of the program unless you say. */
  name?: string | undefined
  /** How long to wait for the operator; forever unless you say. */
  timeoutMs?: number | undefined
  /** What to do if nobody can be asked, or nobody answered in time. Without it, the tool is denied. */
  otherwise?:
    | ((
        toolName: string,
        input: ToolInput,
        options: Options,
        unanswered: Unanswered,
      ) => Otherwise | Promise<Otherwise>)
    | undefined
}

/** Whatever the SDK takes for an answer. */
export type AnyResult = { behavior: 'allow' | 'deny' } | null

export type CanUseTool<Options extends CallOptions, Otherwise> = (
  toolName: string,
  input: ToolInput,
  options: Options,
) => Promise<Allowed | Denied | Otherwise>

/** Asks the operator through the queue of Trail Boss, and waits. Without a daemon it denies. */
export const canUseTool: CanUseTool<CallOptions, Denied> = createCanUseTool()

/** The same, as you want it. The function that it returns is one asker, with one item in the queue at a time. */
export function createCanUseTool<
  Options extends CallOptions = CallOptions,
  Otherwise extends AnyResult = Denied,
>(settings: Settings<Options, Otherwise> = {}): CanUseTool<Options, Otherwise> {
  const { timeoutMs = Number.POSITIVE_INFINITY, otherwise } = settings
  if (!(timeoutMs >= 0)) throw new TypeError(`timeoutMs is ${timeoutMs}, which is no time to wait.`)
  const asker = { name: askerName(settings.name), id: randomUUID() }
  return async (toolName, input, options) => {
    const answer = await asked({ asker, timeoutMs, toolName, input, signal: options.signal })
    if (!('why' in answer)) return answer
    return otherwise ? otherwise(toolName, input, options, answer) : denial(answer.message)
  }
}

type Asking = CallOptions & {
  asker: { name: string; id: string }
  timeoutMs: number
  toolName: string
  input: ToolInput
}

async function asked(asking: Asking): Promise<Allowed | Denied | Unanswered> {
  const { asker, toolName: tool, input, signal } = asking
  const deadline = Math.ceil(Date.now() + asking.timeoutMs)
  using limit = limitOf(asking.timeoutMs)
  try {
    using client = new DaemonClient(resolvePaths().socket)
    const outcome = await askOperator(
      client,
      {
        v: 1,
        id: newDecisionId(),
        asker: { ...asker, cwd: process.cwd() },
        tool,
        input,
        ...(deadline <= LAST_TIME && { deadline }),
      },
      AbortSignal.any([signal, limit.signal]),
    )
    return permissionAnswer(outcome, input) ?? UNANSWERED
  } catch (error) {
    if (signal.aborted) return denial('It was cancelled before the operator answered.')
    if (limit.signal.aborted) return UNANSWERED
    const hint = error instanceof TrailBossError && error.hint ? ` ${error.hint}` : ''
    return { why: 'not-asked', message: `Nobody could be asked: ${messageOf(error)}${hint}` }
  }
}

const UNANSWERED: Unanswered = { why: 'not-answered', message: NOT_ANSWERED }

/** The last time that a `Date` can hold, in ms. */
const LAST_TIME = 8.64e15
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The daemon itself ends what nobody answers; this much later we no longer wait for it to do so. */
const GRACE_MS = 1_000

function limitOf(timeoutMs: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const ms = timeoutMs + GRACE_MS
  const timer = ms <= LONGEST_TIMER_MS ? setTimeout(() => controller.abort(), ms) : undefined
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

function askerName(name: string | undefined): string {
  return (name ?? basename(process.argv[1] ?? '')).trim().slice(0, 200).trim() || 'Agent SDK'
}
