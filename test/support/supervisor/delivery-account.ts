import { createHash } from 'node:crypto'
import type { TriggerView } from '../../../src/contract/supervisor.ts'
import type { Ranch } from './ranch.ts'

/** What was sent, under which circumstances, and what the product reports about it. */
export type Told = { kind: string; role: string; words: string; trigger: TriggerView }

/** A sentence for each difference between the product's report and the agents' own records. */
export function wrongsIn(ranch: Ranch, roles: readonly string[], sent: readonly Told[]): string[] {
  const taken = roles.flatMap((role) => ranch.submitted(role).map((text) => ({ role, text })))
  return sent.flatMap(({ kind, role, words, trigger }) => {
    const { id, state, settledAt } = trigger
    const mine = taken.filter(({ text }) => text.includes(words))
    const wrongs = [
      settledAt === null && 'never ended',
      mine.length > 1 && `was taken ${mine.length} times`,
      state === 'delivered' && mine.length === 0 && 'is called delivered, and nobody took it',
      mine.some((one) => one.role !== role) && 'went to another agent',
      mine.some(({ text }) => !isWhole(text, trigger)) && 'was not taken as it is',
    ]
    return wrongs.filter((wrong) => wrong !== false).map((wrong) => `${id} (${kind}) ${wrong}`)
  })
}

/** How many ended how, by circumstance and in total. */
export function accountOf(sent: readonly Told[]): string {
  const rows = [...Map.groupBy(sent, ({ kind }) => kind), ['all', sent] as const]
  return rows
    .map(([name, some]) => {
      const counts = [...Map.groupBy(some, endOf)].map(([end, { length }]) => `${length} ${end}`)
      const times = some.map(msOf).toSorted((a, b) => a - b)
      const median = times[Math.floor(times.length / 2)]
      return `${name}: ${counts.join(', ')}; median ${median} ms, longest ${times.at(-1)} ms`
    })
    .join('\n')
}

function endOf({ trigger: { state, via, code } }: Told): string {
  return state === 'delivered' ? `${state} by ${via}` : `${state} ${code}`
}

function msOf({ trigger: { settledAt, createdAt } }: Told): number {
  return (settledAt ?? Number.NaN) - createdAt
}

function isWhole(text: string, { sha256 }: TriggerView): boolean {
  return createHash('sha256').update(text).digest('hex') === sha256
}
