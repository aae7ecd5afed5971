import type { AnswerBody } from '../../contract/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { operatorNamed } from '../../supervisor/context/context.ts'

/** The decision with the operator's answer. */
export function answeredDecision(
  decision: Decision,
  { choice, message, input, by }: AnswerBody,
  at: number,
): Decision {
  return {
    ...decision,
    state: {
      ...{ kind: 'answered', at, by: operatorNamed(by), choice },
      ...(message !== undefined && { message }),
      isChanged: input !== undefined,
      ...(input !== undefined && { input }),
    },
  }
}
