import * as v from 'valibot'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const person = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))
const sentence = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))

/** What the supervisor is asked for. Who asks over the unix socket is the operator. */

export const RegisterBody = v.strictObject({ agent: name })

export const TriggerBody = v.strictObject({
  agent: name,
  thread: v.optional(name),
  reason: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  /** Absent: what the reason says, and to read what is unread. */
  text: v.optional(v.string()),
  /** It does not wait until you have done typing. Only you can say that, and only with a reason. */
  force: v.optional(v.strictObject({ by: person, why: sentence })),
})
export type TriggerBody = v.InferOutput<typeof TriggerBody>

export const ThreadBody = v.strictObject({
  workspace: name,
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000)),
  participants: v.pipe(v.array(name), v.minLength(1), v.maxLength(32)),
})
export type ThreadBody = v.InferOutput<typeof ThreadBody>

/** What somebody has to say in a thread. Who that is, their token or the socket tells. */
export const MessageBody = v.strictObject({
  thread: name,
  text: v.string(),
  to: v.optional(v.array(name)),
  findings: v.optional(v.array(v.string())),
  progress: v.optional(v.string()),
})
export type MessageBody = v.InferOutput<typeof MessageBody>

/** Who decided it, for the audit. */
export const DecisionBody = v.strictObject({ by: v.optional(person) })
