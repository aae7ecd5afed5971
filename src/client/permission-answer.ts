import type { DecisionOutcome } from '../contract/decision.ts'

type ToolInput = Record<string, unknown>

/** What an agent gets for a permission, in the shape that the harness and its SDK share. */
export type PermissionAnswer =
  | { behavior: 'allow'; updatedInput: ToolInput }
  | { behavior: 'deny'; message: string }

export const NOT_ANSWERED = 'Nobody answered in time.'

/** Undefined if nobody answered. The tool runs with the operator's input if they changed it. */
export function permissionAnswer(
  outcome: DecisionOutcome,
  input: ToolInput,
): PermissionAnswer | undefined {
  if (outcome.outcome === 'withdrawn') return undefined
  if (outcome.choice !== 'allow') return denial(outcome.message || 'The operator denied it.')
  const updatedInput = outcome.input === undefined ? input : outcome.input
  if (isToolInput(updatedInput)) return { behavior: 'allow', updatedInput }
  return denial('The operator allowed it with another input, which no tool can take: no object.')
}

export function denial(message: string): Extract<PermissionAnswer, { behavior: 'deny' }> {
  return { behavior: 'deny', message }
}

function isToolInput(value: unknown): value is ToolInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
