/** How a delivery or a runtime failed. */
export type FailureCode = keyof typeof SENTENCES

const SENTENCES = {
  TARGET_NOT_FOUND: 'The runtime has no pane: it was stopped, it failed, or its pane is gone.',
  PANE_DEAD: 'The pane is there, but the process in it has ended.',
  SEND_KEYS_ERROR: 'tmux refused to write into the pane, so nothing of it got there.',
  ACK_TIMEOUT: 'The agent never showed that it took the prompt.',
  OPERATOR_BUSY: 'Somebody types in that pane; the trigger waits.',
  DEFER_TIMEOUT:
    'The pane was in use, or showed no free place to type, for longer than a trigger waits.',
  RESUME_FAILED: 'The session could not be resumed.',
  SPAWN_FAILED: 'A new session could not be started.',
  REGISTRY_DRIFT: 'The pane is not the one that the registry knows.',
  TRIGGER_RATE_LIMITED: 'There were too many triggers for this thread or agent; it waits.',
  THREAD_AUTO_BLOCKED: 'The thread goes round in circles and is blocked until you decide.',
} as const

export const FAILURE_CODES = Object.keys(SENTENCES) as FailureCode[]

/** What happened, for the operator. */
export function failureSentence(code: FailureCode): string {
  return SENTENCES[code]
}
