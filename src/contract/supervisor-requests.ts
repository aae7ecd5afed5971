import * as v from 'valibot'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const person = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))
const sentence = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))

/** Requests to the supervisor. Whoever asks over the unix socket is the operator. */

/** Whose runtime, and who asks, for the audit. */
export const AgentBody = v.strictObject({ agent: name, by: v.optional(person) })

export const TriggerBody = v.strictObject({
  agent: name,
  thread: v.optional(name),
  reason: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  /** Absent: the text of the reason, plus a reminder to read what is unread. */
  text: v.optional(v.string()),
  /** Does not wait until you have finished typing. Only you can request that, and only with a reason. */
  force: v.optional(v.strictObject({ by: person, why: sentence })),
  /** Who asks for it, for the audit. */
  by: v.optional(person),
})
export type TriggerBody = v.InferOutput<typeof TriggerBody>

export const ThreadBody = v.strictObject({
  workspace: name,
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(1_000)),
  /** Agents of that workspace; a role alone is enough. */
  participants: v.pipe(v.array(name), v.minLength(1), v.maxLength(32)),
  by: v.optional(person),
})
export type ThreadBody = v.InferOutput<typeof ThreadBody>

/** A message for a thread. The token or the socket identifies its author. */
export const MessageBody = v.strictObject({
  thread: name,
  text: v.string(),
  to: v.optional(v.array(name)),
  findings: v.optional(v.array(v.string())),
  progress: v.optional(v.string()),
})
export type MessageBody = v.InferOutput<typeof MessageBody>

/** The same from the operator, who may choose in whose name. */
export const OperatorMessageBody = v.strictObject({
  ...MessageBody.entries,
  by: v.optional(person),
})
export type OperatorMessageBody = v.InferOutput<typeof OperatorMessageBody>

/** What the operator wrote to a waiting session. */
export const ReplyBody = v.strictObject({
  harness: name,
  session: v.pipe(v.string(), v.minLength(1), v.maxLength(512)),
  text: v.string(),
  by: v.optional(person),
  /** The tmux client whose popup it was written in: its keys do not count as typing in the pane behind. */
  client: v.optional(v.pipe(v.string(), v.regex(/^[\w./-]{1,100}$/, 'the name of a tmux client'))),
})
export type ReplyBody = v.InferOutput<typeof ReplyBody>

/** A decision on one trigger, thread or token, and who made it, for the audit. */
export const DecisionOnBody = v.strictObject({ id: name, by: v.optional(person) })
