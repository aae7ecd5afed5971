import { messageOf } from '../../core/errors.ts'
import { isWanted } from '../../core/supervisor/runtime/runtime.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { readUnread } from '../../store/tables/bridge.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { Triggers } from './triggers.ts'

export type UnreadPromptsParts = {
  context: SupervisorContext
  registry: Registry
  bridge: Bridge
  triggers: Triggers
}

/** Prompts each agent that has something to read, once for everything before that prompt. */
export type UnreadPrompts = {
  /** Prompts for what was posted while nobody could be prompted. */
  look(): void
}

export function createUnreadPrompts(parts: UnreadPromptsParts): UnreadPrompts {
  const { context, registry, bridge, triggers } = parts
  const { db, log } = context

  const prompt = (agentId: string, threadId: string): void => {
    const runtime = registry.ofAgent(agentId)
    if (!runtime || !isWanted(runtime)) return
    const postedAt = readUnread(db, agentId, { threadId, limit: 1_000 }).at(-1)?.at
    if (postedAt === undefined) return
    const tells = ({ createdAt, state }: Trigger) =>
      createdAt >= postedAt || state === 'queued' || state === 'deferred'
    if (listTriggers(db, { agentId, threadId }).some(tells)) return
    try {
      triggers.create({ agentId, threadId, reason: 'new_unread_messages', by: OURSELVES })
    } catch (error) {
      log.warn({ agent: agentId, thread: threadId, reason: messageOf(error) }, 'not prompted')
    }
  }

  bridge.onUnread(prompt)
  return {
    look() {
      for (const { agentId } of registry.list().filter(isWanted)) {
        for (const { threadId } of bridge.unread(agentId)) prompt(agentId, threadId)
      }
    },
  }
}
