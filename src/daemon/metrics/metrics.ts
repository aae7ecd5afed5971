import { Counter, Gauge, Registry } from 'prom-client'
import { isReady } from '../../core/session/queue.ts'
import type { EpisodeStats } from '../../store/tables/episodes.ts'
import type { Herd } from '../herd/herd.ts'

/**
 * Prometheus text about the operator's load: the depth of the queue and how long sessions waited. `addMore`
 * adds the metrics of others to the registry.
 */
export function createMetrics(
  herd: Herd,
  episodes: () => EpisodeStats[],
  transcriptBytes: () => number,
  addMore: (registry: Registry) => void = () => {},
): () => Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  const sessions = new Gauge({
    name: 'trailboss_sessions',
    help: 'Known sessions by state.',
    labelNames: ['state'] as const,
    registers,
  })
  const queue = new Gauge({
    name: 'trailboss_queue_items',
    help: 'Items in the queue, ready or cooling down.',
    labelNames: ['ready'] as const,
    registers,
  })
  const oldest = new Gauge({
    name: 'trailboss_queue_oldest_seconds',
    help: 'How long the oldest item has been stuck.',
    registers,
  })
  const over = new Counter({
    name: 'trailboss_episodes_total',
    help: 'Episodes that are over: answered, settled by itself, ended while stuck, or not known.',
    labelNames: ['harness', 'reason', 'outcome'] as const,
    registers,
  })
  const stuckSeconds = new Counter({
    name: 'trailboss_episode_seconds_total',
    help: 'Time sessions spent stuck in episodes that are over.',
    labelNames: ['harness', 'reason', 'outcome'] as const,
    registers,
  })
  const changes = new Counter({
    name: 'trailboss_log_entries_total',
    help: 'Entries appended to the event log since the daemon started.',
    registers,
  })
  const read = new Counter({
    name: 'trailboss_transcript_bytes_read_total',
    help: 'Bytes read from transcripts since the daemon started.',
    registers,
  })
  herd.onChange(({ entries }) => changes.inc(entries.length))
  addMore(registry)

  return async () => {
    const now = herd.clock.now()
    const items = herd.queue()
    const ready = items.filter((item) => isReady(item, now)).length
    sessions.reset()
    for (const state of ['stuck', 'working', 'unknown', 'ended'] as const)
      sessions.set({ state }, 0)
    for (const session of herd.sessions()) sessions.inc({ state: session.verdict.state })
    queue.set({ ready: 'true' }, ready)
    queue.set({ ready: 'false' }, items.length - ready)
    const since = Math.min(now, ...items.map((item) => item.item.since))
    oldest.set((now - since) / 1_000)
    over.reset()
    stuckSeconds.reset()
    for (const { harness, reason, outcome, episodes: count, stuckMs } of episodes()) {
      over.inc({ harness, reason, outcome }, count)
      stuckSeconds.inc({ harness, reason, outcome }, stuckMs / 1_000)
    }
    read.reset()
    read.inc(transcriptBytes())
    return registry.metrics()
  }
}
