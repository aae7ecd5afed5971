import * as v from 'valibot'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const person = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))
const sentence = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))

/** What the supervisor is asked for. Who asks over the unix socket is the operator. */

/** Whose runtime, and who asks for it, for the audit. */
export const AgentBody = v.strictObject({ agent: name, by: v.optional(person) })

export const TriggerBody = v.strictObject({
  agent: name,
  thread: v.optional(name),
  reason: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  /** Absent: what the reason says, and to read what is unread. */
  text: v.optional(v.string()),
  /** It does not wait until you have done typing. Only you can say that, and only with a reason. */
  force: v.optional(v.strictObject({ by: person, why: sentence })),
  /** Who asks for it, for the audit. */
  by: v.optional(person),
})
export type TriggerBody = v.InferOutput<typeof TriggerBody>

export const ThreadBody = v.strictObject({
  workspace: name,
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000)),
  /** Agents of that workspace, also by their role alone. */
  participants: v.pipe(v.array(name), v.minLength(1), v.maxLength(32)),
  by: v.optional(person),
})
export type ThreadBody = v.InferOutput<typeof ThreadBody>

/** What somebody has to say in a thread. Their token or the socket says who that is. */
export const MessageBody = v.strictObject({
  thread: name,
  text: v.string(),
  to: v.optional(v.array(name)),
  findings: v.optional(v.array(v.string())),
  progress: v.optional(v.string()),
})
export type MessageBody = v.InferOutput<typeof MessageBody>

/** The same of the operator, who may say as whom. */
export const OperatorMessageBody = v.strictObject({
  ...MessageBody.entries,
  by: v.optional(person),
})
export type OperatorMessageBody = v.InferOutput<typeof OperatorMessageBody>

/** A decision on one trigger, thread or token, and whose it is, for the audit. */
export const DecisionOnBody = v.strictObject({ id: name, by: v.optional(person) })
