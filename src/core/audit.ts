/** What was done to runtimes, panes, threads and tokens, by whom, and with which result. Never changed, never deleted. */
export type AuditLine = {
  /** Counts up. */
  seq: number
  at: number
  kind: AuditKind
  /** `operator:<name>`, an agent's id, or `trailboss`. */
  actor: string
  agentId?: string
  runtimeId?: string
  threadId?: string
  triggerId?: string
  /** `ok`, or the code of what went wrong. */
  result?: string
  /** One line, for people. */
  detail?: string
  payload?: AuditPayload
}

/** What was typed or posted: its hash, and the redacted text only if that was requested. */
export type AuditPayload = { sha256: string; bytes: number; text?: string }

export type AuditKind = (typeof AUDIT_KINDS)[number]

export const AUDIT_KINDS = [
  'runtime_registered',
  'runtime_refused',
  'runtime_started',
  'runtime_stopped',
  'runtime_restarted',
  'runtime_restart_failed',
  'runtime_failed',
  'runtime_lost',
  'runtime_deregistered',
  'registry_drift',
  'trigger_queued',
  'trigger_refused',
  'trigger_claimed',
  'trigger_deferred',
  'trigger_sent',
  'trigger_retried',
  'trigger_fell_back',
  'trigger_delivered',
  'trigger_failed',
  'trigger_cancelled',
  'ack_received',
  'override_forced',
  'operator_intervened',
  'pane_written',
  'channel_written',
  'key_pressed',
  'pane_closed',
  'fallback_resume_started',
  'fallback_resume_succeeded',
  'fallback_resume_failed',
  'fallback_spawn_started',
  'dispatch_started',
  'dispatch_ended',
  'thread_opened',
  'thread_blocked',
  'thread_unblocked',
  'thread_closed',
  'message_posted',
  'message_refused',
  'token_issued',
  'token_revoked',
  'token_refused',
  'workspaces_reloaded',
  'decision_asked',
  'decision_answered',
  'decision_withdrawn',
  'reply_claimed',
  'reply_delivered',
  'reply_refused',
  'reply_unproved',
] as const
