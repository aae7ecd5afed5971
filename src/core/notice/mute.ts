export const MUTE_KINDS = ['all', 'session', 'agent', 'project', 'harness'] as const

export const LONGEST_MUTE_MS = 3_650 * 86_400_000

/** What the operator wants no notices about for a while. The queue lists it as before. */
export type Mute = {
  kind: (typeof MUTE_KINDS)[number]
  name: string
  /** Epoch ms of the wall clock; null: until it is taken back. */
  until: number | null
}

/** What a mute can be about. */
export type Muteable = {
  session: string
  harness: string
  agent?: string | undefined
  project: string | null
}

/** The mute that covers it for the longest. */
export function muteOf(item: Muteable, mutes: readonly Mute[], wall: number): Mute | undefined {
  const covering = mutes.filter((mute) => isInForce(mute, wall) && covers(mute, item))
  return covering.toSorted((a, b) => endOf(b) - endOf(a))[0]
}

export function isInForce(mute: Mute, wall: number): boolean {
  return endOf(mute) > wall
}

export function covers({ kind, name }: Pick<Mute, 'kind' | 'name'>, item: Muteable): boolean {
  return kind === 'all' || item[kind] === name
}

function endOf({ until }: Mute): number {
  return until ?? Number.POSITIVE_INFINITY
}
