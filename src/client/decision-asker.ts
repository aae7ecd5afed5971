import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DecisionBody, DecisionOutcome } from '../contract/decision.ts'
import { type ErrorCode, TrailBossError } from '../core/errors.ts'
import type { DaemonClient } from './daemon-client.ts'

/** Short enough to type, too long to guess or to repeat by accident. */
export function newDecisionId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16)
}

const AGAIN_MS = 250

/** What another try can settle, once the daemon has the question. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['DAEMON_DOWN', 'DAEMON_HUNG', 'NOT_STORED'])

/**
 * Asks the operator and waits. If the daemon ends meanwhile, it asks the next one with the same id, so that
 * nothing is asked twice and no answer is lost. Throws `DAEMON_DOWN` if none runs at the start. `onLost` runs each
 * time the daemon has gone.
 */
export async function askOperator(
  client: Pick<DaemonClient, 'health' | 'decision' | 'post'>,
  body: DecisionBody,
  signal?: AbortSignal,
  onLost: (error: TrailBossError) => void = () => {},
): Promise<DecisionOutcome> {
  const { id, deadline = Number.POSITIVE_INFINITY } = body
  await client.health()
  while (true) {
    try {
      const outcome = await client.decision(body, signal)
      if (outcome.outcome === 'answered') await taken(client, id)
      return outcome
    } catch (error) {
      if (!(error instanceof TrailBossError && PASSING.has(error.code))) throw error
      onLost(error)
    }
    if (Date.now() >= deadline) return { id, outcome: 'withdrawn', why: 'deadline' }
    await delay(AGAIN_MS, undefined, signal && { signal })
  }
}

/** The daemon need not keep the answer any longer; it forgets it on its own, later. */
async function taken(client: Pick<DaemonClient, 'post'>, id: string): Promise<void> {
  try {
    await client.post(`/v1/decisions/${id}/taken`, {})
  } catch {
    // The answer is here.
  }
}
