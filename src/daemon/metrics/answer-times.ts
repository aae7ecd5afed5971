import type { DatabaseSync } from 'node:sqlite'
import { Histogram, type Registry } from 'prom-client'
import { findWait, listWaits } from '../../store/tables/episodes.ts'
import type { Herd } from '../herd/herd.ts'

export type AnswerTimesParts = { db: DatabaseSync; herd: Pick<Herd, 'onChange'> }

const MINUTE = 60
const HOUR = 60 * MINUTE
const BUCKETS = [1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR]

/** How long sessions waited until they were answered, as a histogram over all known episodes. */
export function addAnswerTimes(registry: Registry, { db, herd }: AnswerTimesParts): void {
  let isRead = false
  const seconds = new Histogram({
    name: 'trailboss_answer_seconds',
    help: 'How long sessions were stuck until they were answered.',
    labelNames: ['harness', 'reason'] as const,
    buckets: BUCKETS,
    registers: [registry],
    // Read on the first request, because most daemons are never scraped.
    collect() {
      if (isRead) return
      isRead = true
      for (const { harness, reason, outcome, ms } of listWaits(db)) {
        if (outcome === 'answered') seconds.observe({ harness, reason }, ms / 1_000)
      }
    },
  })
  herd.onChange(({ transitions, revised }) => {
    if (!isRead) return
    for (const { episode } of revised.filter(({ outcome }) => outcome === 'answered')) {
      const wait = findWait(db, episode)
      if (wait) seconds.observe({ harness: wait.harness, reason: wait.reason }, wait.ms / 1_000)
    }
    for (const { closed, session, at } of transitions) {
      if (closed?.outcome !== 'answered') continue
      const waited = Math.max(0, at - closed.item.since) / 1_000
      seconds.observe({ harness: session.harness, reason: closed.reason }, waited)
    }
  })
}
