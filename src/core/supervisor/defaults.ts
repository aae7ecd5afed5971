/**
 * Every number by which runtimes are kept and prompts are delivered. The operator can change each.
 * Durations are in milliseconds.
 */
export type SupervisorRules = {
  runtime: RuntimeRules
  restart: RestartRules
  delivery: DeliveryRules
  rate: RateRules
  triage: TriageRules
  dispatch: DispatchRules
}

type RuntimeRules = {
  /** How often registry and tmux are compared. */
  reconcileMs: number
  /** How long a launched program may take until it is seen to run. */
  startTimeoutMs: number
  /** How long something else may be in the foreground of its pane. */
  commandGraceMs: number
  /** From the request to end it until its pane is closed. */
  stopTimeoutMs: number
}

export type RestartRules = {
  /** So many failures within the window: the session is not resumed, a new one is begun. One more: it has failed. */
  failures: number
  windowMs: number
  /** Before the first restart, the second, …; the last one is for all others. */
  backoffMs: readonly number[]
  /** A session that has been silent for so long is not resumed. */
  staleMs: number
}

export type DeliveryRules = {
  /** How long nobody may have typed in the pane. */
  quietMs: number
  /** How long it is until the next look when there is nothing to do but to wait. */
  recheckMs: number
  /** How long a trigger gives way to the operator. */
  deferLimitMs: number
  /** A look at a composer that is older says nothing any more. */
  freshMs: number
  /** From the paste to the Enter. */
  enterDelayMs: number
  /** From a write to the end of waiting for its ack. */
  ackTimeoutMs: number
  retries: number
  /** On top of the timeout before the first retry, the second, … */
  backoffMs: readonly number[]
  /** How long a trigger waits for the agent to come to rest, before its write and after it. */
  busyLimitMs: number
  resumeAttempts: number
  /** From the launch with a prompt to the end of waiting for its ack. */
  launchAckMs: number
  /** How long a fallback may take in all. */
  fallbackLimitMs: number
}

export type RateRules = { windowMs: number; perThread: number; perAgent: number }

export type TriageRules = {
  /** How many keys may be pressed without any effect before the operator is asked. */
  attempts: number
}

type DispatchRules = {
  /** How long its program may take until its composer is seen. */
  launchMs: number
  /** From there on, how long the task may wait before it is put into the operator's queue. */
  validateMs: number
  /** How long its turn has to have ended, or a dialog to have been there, until that counts. */
  settleMs: number
  /** From a key that was pressed by policy to the next look whether it had an effect. */
  recheckMs: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const DEFAULT_RULES: SupervisorRules = {
  runtime: {
    reconcileMs: 5 * SECOND,
    startTimeoutMs: 60 * SECOND,
    commandGraceMs: 30 * SECOND,
    stopTimeoutMs: 10 * SECOND,
  },
  restart: {
    failures: 3,
    windowMs: 15 * MINUTE,
    backoffMs: [SECOND, 5 * SECOND, 15 * SECOND],
    staleMs: 12 * HOUR,
  },
  delivery: {
    quietMs: 20 * SECOND,
    recheckMs: 5 * SECOND,
    deferLimitMs: 60 * SECOND,
    freshMs: SECOND,
    enterDelayMs: 300,
    ackTimeoutMs: 8 * SECOND,
    retries: 2,
    backoffMs: [2 * SECOND, 4 * SECOND],
    busyLimitMs: 30 * MINUTE,
    resumeAttempts: 2,
    launchAckMs: 60 * SECOND,
    fallbackLimitMs: 15 * MINUTE,
  },
  rate: { windowMs: MINUTE, perThread: 6, perAgent: 12 },
  triage: { attempts: 2 },
  dispatch: {
    launchMs: 60 * SECOND,
    validateMs: 15 * SECOND,
    settleMs: 2 * SECOND,
    recheckMs: 10 * SECOND,
  },
}
