import type { DispatchBody } from '../../contract/dispatch.ts'
import { TrailBossError } from '../../core/errors.ts'
import { isOver } from '../../core/supervisor/dispatch/dispatch.ts'
import { isAtRest, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { requireText } from '../../core/supervisor/trigger/envelope.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { findDispatch } from '../../store/tables/dispatches.ts'
import { agentIn } from '../context/agent-names.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import type { Registry } from '../runtimes/registry.ts'

export type RequestedDispatch = {
  plan: AgentPlan
  reviewer: string | undefined
  prompt: string
  /** What an earlier dispatch of that name left behind. */
  leftover: Runtime | undefined
}

/** Throws if it cannot even be tried; then nothing was done. */
export function requireDispatch(
  { db, workspaces }: SupervisorContext,
  registry: Registry,
  { name, harness, cwd, prompt, reviewer }: Omit<DispatchBody, 'by'>,
): RequestedDispatch {
  requireName(name)
  const text = requireText(prompt, 'lines')
  const place = workspaces.containing(cwd)
  const plan = workspaces.planFor({ ...place, role: name, harness })
  if (workspaces.agents().includes(plan.agentId)) {
    throw new TrailBossError(
      'ALREADY_THERE',
      `${plan.agentId} is an agent of your configuration.`,
      {
        hint: `Give the dispatch another name, or that agent a trigger: trailboss trigger ${plan.agentId}`,
      },
    )
  }
  const named = reviewer && agentIn(place.workspaceId, reviewer)
  const reviewing = named === undefined ? workspaces.reviewerOf(place.workspaceId) : named
  if (reviewing) workspaces.plan(reviewing)
  const known = findDispatch(db, name)
  const leftover = registry.ofAgent(plan.agentId)
  if ((known && !isOver(known)) || (leftover && !isAtRest(leftover))) {
    const how =
      known && !isOver(known) ? `is ${known.state}` : 'has ended, and its agent still runs'
    throw new TrailBossError('ALREADY_THERE', `Dispatch ${name} ${how}.`, {
      hint: `End it with: trailboss dispatch stop ${name}`,
    })
  }
  return { plan, reviewer: reviewing ?? undefined, prompt: text, leftover }
}

/** It becomes the name of a tmux window, and must not read like one of our own commands. */
const NAME = /^[a-z0-9_-]{1,40}$/
const DISPATCH_COMMANDS = ['status', 'list', 'logs', 'wait', 'stop', 'accept', 'help']

function requireName(name: string): void {
  if (NAME.test(name) && !name.startsWith('-') && !DISPATCH_COMMANDS.includes(name)) return
  throw new TrailBossError(
    'BAD_REQUEST',
    `A dispatch cannot be called "${truncate(displayLine(name), 60)}".`,
    { hint: 'Up to 40 of these: a-z, 0-9, - and _. The names of its commands are taken.' },
  )
}
