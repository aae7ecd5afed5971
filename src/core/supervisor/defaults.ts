/**
 * Every number that controls runtimes and the delivery of prompts. The operator can change all of them. Durations
 * are in milliseconds.
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
  /** How often the registry is compared with tmux. */
  reconcileMs: number
  /** How long a launched program may take to be seen running. */
  startTimeoutMs: number
  /** How long something other than the agent may be in the foreground of its pane. */
  commandGraceMs: number
  /** From the request to stop until the pane is closed. */
  stopTimeoutMs: number
}

export type RestartRules = {
  /**
   * After this many failures within the window, the next restart begins a new session instead of resuming. One
   * more, and the runtime has failed.
   */
  failures: number
  windowMs: number
  /** The wait before the first restart, the second, …; the last value applies to all later ones. */
  backoffMs: readonly number[]
  /** A session that has been silent for this long is not resumed. */
  staleMs: number
}

export type DeliveryRules = {
  /** How long the pane must have been free of typing. */
  quietMs: number
  /** The pause between looks while there is nothing to do but wait. */
  recheckMs: number
  /** How long a trigger defers to the operator. */
  deferLimitMs: number
  /** A look at a composer that is older than this no longer counts. */
  freshMs: number
  /** From the paste to the Enter. */
  enterDelayMs: number
  /** How long to wait for an ack after a write. */
  ackTimeoutMs: number
  retries: number
  /** Added to the timeout before the first retry, the second, … */
  backoffMs: readonly number[]
  /** How long a trigger waits for a busy agent to become idle, both before and after its write. */
  busyLimitMs: number
  resumeAttempts: number
  /** How long to wait for an ack after a launch with a prompt. */
  launchAckMs: number
  /** The total time that a fallback may take. */
  fallbackLimitMs: number
}

export type RateRules = { windowMs: number; perThread: number; perAgent: number }

export type TriageRules = {
  /** How many keys may be pressed without any effect before the operator is asked. */
  attempts: number
}

type DispatchRules = {
  /** How long the program may take to show its composer. */
  launchMs: number
  /** How long the task may wait after that before it goes into the operator's queue. */
  validateMs: number
  /** How long a turn must have ended, or a dialog been visible, before that counts. */
  settleMs: number
  /** The pause between a key pressed by policy and the check whether it had an effect. */
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
