/** The figures of the last seven days, for a person. Fields are added, never removed. Times are epoch ms. */
export type StatsView = {
  /** The figures count from midnight in the daemon's time zone, and from seven days ago. */
  todaySince: number
  weekSince: number
  queue: {
    ready: number
    cooling: number
    /** Stuck, and dismissed by the operator. */
    dismissed?: number
    /** Since when the oldest has been stuck; null if nothing is. */
    oldestSince: number | null
  }
  /** How stuck sessions continued, or did not. */
  outcomes: Record<'answered' | 'settled' | 'ended' | 'unknown', OutcomeCount> & {
    /** Missing from older daemons, like `queue.dismissed`. */
    dismissed?: OutcomeCount
  }
  /** For answered sessions: all together, and by harness, the most answered first. */
  answers: AnswerTimes & { harnesses: (AnswerTimes & { harness: string })[] }
  /** Null: no workspace is configured. */
  supervisor: SupervisorStats | null
}

export type OutcomeCount = { today: number; week: number }

/** How long sessions waited until they were answered. The lengths are null if none was. */
export type AnswerTimes = {
  today: number
  week: number
  medianMs: number | null
  p90Ms: number | null
  longestMs: number | null
}

/** These cover seven days, except `runtimes` and `open`, which show the present. */
export type SupervisorStats = {
  runtimes: { total: number; running: number; failed: string[] }
  triggers: {
    open: number
    delivered: number
    failed: number
    medianMs: number | null
    p90Ms: number | null
  }
  restarts: number
  drifts: number
}
