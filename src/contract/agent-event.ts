import * as v from 'valibot'
import { TrailBossError } from '../core/errors.ts'
import { type AgentEvent, JOB_NAME } from '../core/session/event.ts'
import { WAIT_LABELS } from '../core/session/wait-label.ts'
import { PLAIN_PATH } from '../core/text.ts'

const id = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(512),
  v.check((text) => text.isWellFormed(), 'half of a surrogate pair is no character'),
)
const path = v.pipe(
  v.string(),
  v.maxLength(4_096),
  v.check((text) => !text.includes('\0'), 'a path without NUL'),
)
export const socketPath = v.pipe(path, v.regex(PLAIN_PATH))

const Pane = v.object({
  socket: socketPath,
  id: v.pipe(v.string(), v.regex(/^%\d{1,9}$/)),
  server: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  pid: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
})

const Ask = v.looseObject({
  text: v.pipe(v.string(), v.maxLength(65_536)),
  tool: v.optional(v.pipe(v.string(), v.maxLength(256))),
  input: v.optional(v.unknown()),
})

/** Unknown fields are kept; an unknown `kind` is not the same as a malformed event. */
export const AgentEventSchema = v.looseObject({
  v: v.literal(1),
  kind: v.picklist(['started', 'stuck', 'unstuck', 'ended', 'seen']),
  harness: v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,63}$/)),
  session: id,
  at: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15)),
  source: v.picklist(['hook', 'status', 'transcript', 'screen', 'process', 'api']),
  pane: v.optional(Pane),
  pid: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 31))),
  pidStart: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  cwd: v.optional(path),
  transcript: v.optional(path),
  reason: v.optional(v.picklist(['permission', 'stopped'])),
  // It is only displayed, so an unknown label is no reason to refuse the event.
  label: v.fallback(v.optional(v.picklist(WAIT_LABELS)), undefined),
  ask: v.optional(Ask),
  note: v.optional(v.pipe(v.string(), v.maxLength(512))),
  pending: v.optional(v.pipe(v.array(Ask), v.maxLength(16))),
  prompt: v.optional(v.boolean()),
  marks: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.regex(/^[a-z0-9]{10}$/))), v.maxLength(16)),
  ),
  block: v.optional(v.pipe(v.string(), v.maxLength(512))),
  subagent: v.optional(id),
  headless: v.optional(v.boolean()),
  isGuest: v.optional(v.boolean()),
  job: v.optional(v.pipe(v.string(), v.regex(JOB_NAME))),
  detail: v.optional(v.pipe(v.string(), v.maxLength(512))),
})

const KnownKind = v.looseObject({ v: v.literal(1), kind: AgentEventSchema.entries.kind })
const AnyKind = v.looseObject({
  v: v.literal(1),
  kind: id,
  harness: AgentEventSchema.entries.harness,
})

/** `unknown`: well formed, but of a kind this version does not know. It is recorded and ignored. */
export function parseAgentEvent(
  input: unknown,
): { event: AgentEvent } | { unknown: { harness: string; kind: string } } {
  const parsed = v.safeParse(AgentEventSchema, input)
  if (parsed.success) {
    // Only the supervisor itself puts its own items into the queue.
    const { about: _, ...event } = parsed.output
    return { event: event as AgentEvent }
  }
  const named = v.safeParse(AnyKind, input)
  if (named.success && !v.is(KnownKind, input)) {
    return { unknown: { harness: named.output.harness, kind: named.output.kind } }
  }
  const [issue] = parsed.issues
  const where = v.getDotPath(issue) ?? 'the event'
  const { kind, source } = AgentEventSchema.entries
  const [kinds, sources] = [kind, source].map(({ options }) => options.join(', '))
  throw new TrailBossError('BAD_EVENT', `${where}: ${issue.message}`, {
    hint: `An event is {"v":1,"kind":KIND,"harness":NAME,"session":ID,"at":EPOCH_MS,"source":SOURCE}. KIND: ${kinds}. SOURCE: ${sources}.`,
  })
}
