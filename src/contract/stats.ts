/** The figures of the last seven days, for a person. Fields are added, never taken away. Times are epoch ms. */
export type StatsView = {
  /** Midnight where the daemon runs, and seven days ago: from when on they are counted. */
  todaySince: number
  weekSince: number
  queue: {
    ready: number
    cooling: number
    /** Since when the oldest has been stuck; null when nothing is. */
    oldestSince: number | null
  }
  /** How what was stuck went on, or did not. */
  outcomes: Record<'answered' | 'settled' | 'ended' | 'unknown', { today: number; week: number }>
  /** Of those that were answered: all together, and by harness, the most answered first. */
  answers: AnswerTimes & { harnesses: (AnswerTimes & { harness: string })[] }
  /** Null: no workspace is configured. */
  supervisor: SupervisorStats | null
}

/** How long sessions waited until they were answered. The lengths are null where none was. */
export type AnswerTimes = {
  today: number
  week: number
  medianMs: number | null
  p90Ms: number | null
  longestMs: number | null
}

/** But for `runtimes` and `open`, which are of now, they are of seven days. */
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
