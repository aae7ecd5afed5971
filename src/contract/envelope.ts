import * as v from 'valibot'

/**
 * What `trailboss-emit` sends: the harness's own payload, untouched, and what only the hook's
 * process knows. `at` is taken as the emitter starts, while the payload is still being read.
 */
export const HookEnvelope = v.looseObject({
  v: v.literal(1),
  harness: v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,63}$/)),
  at: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** `$TMUX`: socket path, server pid, session index. */
  tmux: v.optional(v.pipe(v.string(), v.maxLength(4096))),
  /** `$TMUX_PANE`. */
  pane: v.optional(v.pipe(v.string(), v.maxLength(32))),
  /** The agent's own pid, if the harness provides it. */
  pid: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** The emitter's parent. */
  ppid: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** How the harness was started: `cli`, `sdk-cli`, … */
  entrypoint: v.optional(v.pipe(v.string(), v.maxLength(64))),
  /** The program that ran the hook, if it is another one that runs the harness's hooks as well. */
  runner: v.optional(v.pipe(v.string(), v.maxLength(64))),
  /** The job as which the harness runs the session in the background. */
  job: v.optional(v.pipe(v.string(), v.maxLength(64))),
  payload: v.unknown(),
})

export type HookEnvelope = v.InferOutput<typeof HookEnvelope>
