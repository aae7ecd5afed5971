/**
 * A sign that a prompt arrived. `hook` and `transcript` prove it: the harness itself reports that it took the
 * prompt with our mark. `cursor` and `heartbeat` only show that the agent has begun to do something, which an idle
 * agent cannot do: they count when nothing better comes.
 */
export type Ack = { kind: AckKind; at: number }

export type AckKind = (typeof STRONGEST_FIRST)[number]

const STRONGEST_FIRST = ['hook', 'transcript', 'cursor', 'heartbeat'] as const

const PROOF_KINDS = 2

export function isProof({ kind }: Ack): boolean {
  return STRONGEST_FIRST.indexOf(kind) < PROOF_KINDS
}

/** Of two equally strong acks, the earlier one. */
export function strongestAck(acks: readonly Ack[]): Ack | undefined {
  return acks.toSorted((a, b) => strength(a) - strength(b) || a.at - b.at)[0]
}

function strength({ kind }: Ack): number {
  return STRONGEST_FIRST.indexOf(kind)
}
