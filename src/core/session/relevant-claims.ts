import type { AgentEvent } from './event.ts'
import { blockWithoutSecrets } from './event-redaction.ts'
import { blockId, type Evidence } from './evidence.ts'

/**
 * Of many claims about one session that were read at once, those that can matter to its evidence, oldest first:
 * evidence keeps only the newest of each kind. The answer to a permission matters if the question is known, or
 * may still be on its way, which is when the answer is not older than `recentAt`.
 */
export function relevantClaims(
  claims: AgentEvent[],
  evidence: Evidence,
  recentAt: number,
): AgentEvent[] {
  const newest = newestBy(claims, ({ source, kind, reason, block, subagent }) =>
    JSON.stringify([source, kind, reason, block, subagent]),
  )
  const work = newestBy(claims.filter(isWork), threadOf)
  const answers = newestBy(claims.filter(isAnswer), threadOf)
  const asked = new Set(claims.filter((claim) => claim.reason === 'permission').map(blockId))

  const isTelling = (claim: AgentEvent): boolean => {
    if (claim.kind === 'seen') return claim.at === work.get(threadOf(claim))?.at
    if (!isAnswer(claim) || claim.block === undefined) return true
    if (claim.at >= recentAt || claim.at === answers.get(threadOf(claim))?.at) return true
    return asked.has(blockId(claim)) || Object.hasOwn(evidence.blocks, knownBlockId(claim))
  }
  return [...newest.values()].filter(isTelling).toSorted((a, b) => a.at - b.at)
}

/** Evidence knows a permission by its name without secrets. */
function knownBlockId({ subagent, block = '' }: AgentEvent): string {
  return blockId({ ...(subagent && { subagent }), block: blockWithoutSecrets(block) })
}

function newestBy(
  claims: AgentEvent[],
  keyOf: (claim: AgentEvent) => string,
): Map<string, AgentEvent> {
  const newest = new Map<string, AgentEvent>()
  for (const claim of claims) {
    const known = newest.get(keyOf(claim))
    if (!known || known.at <= claim.at) newest.set(keyOf(claim), claim)
  }
  return newest
}

function isWork({ kind }: AgentEvent): boolean {
  return kind === 'seen' || kind === 'unstuck'
}

function isAnswer({ kind }: AgentEvent): boolean {
  return kind === 'unstuck'
}

function threadOf({ subagent }: AgentEvent): string {
  return subagent ?? ''
}
