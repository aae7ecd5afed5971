import * as v from 'valibot'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Hook } from './adapter.ts'

/** What most harnesses put into every hook; the rest of the payload is kept. */
export type HookPayload = v.InferOutput<typeof HookPayload>

const NAME = v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))
const ABSOLUTE_PATH = v.pipe(
  v.string(),
  v.startsWith('/'),
  v.maxLength(4096),
  v.check((path) => !path.includes('\0')),
)
const lenient = <T extends v.GenericSchema>(schema: T) => v.fallback(v.optional(schema), undefined)

const HookPayload = v.looseObject({
  session_id: NAME,
  hook_event_name: NAME,
  cwd: lenient(ABSOLUTE_PATH),
  transcript_path: lenient(ABSOLUTE_PATH),
  agent_id: lenient(NAME),
  tool_name: lenient(NAME),
})

/** Throws `BAD_EVENT`, naming the harness that the hook is not from. */
export function parseHookPayload(title: string, payload: unknown): HookPayload {
  const parsed = v.safeParse(HookPayload, payload)
  if (parsed.success) return parsed.output
  throw new TrailBossError('BAD_EVENT', `Not a hook of ${title}: ${v.summarize(parsed.issues)}`, {
    hint: 'Its payload has a session_id and a hook_event_name.',
  })
}

/** What every event takes from its hook, whatever it claims. */
export function eventFromHook(
  harness: string,
  { pane, pid, at }: Hook,
  { session_id, cwd, transcript_path }: HookPayload,
): Omit<AgentEvent, 'kind'> {
  return {
    v: 1,
    harness,
    session: session_id,
    at,
    source: 'hook',
    ...(pane && { pane }),
    ...(pid !== undefined && { pid }),
    ...(cwd !== undefined && { cwd }),
    ...(transcript_path !== undefined && { transcript: transcript_path }),
  }
}
