import type { DecisionView } from '../../contract/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { truncate } from '../../core/text.ts'
import type { Whole } from './asked-decision.ts'

type Now = { whole: Whole | undefined; isWaiting: boolean; more: number }

export function decisionView(decision: Decision, { whole, isWaiting, more }: Now): DecisionView {
  const { id, kind, asker, tool, options, isCut, askedAt, deadline, state } = decision
  return {
    id,
    kind,
    asker: { name: asker.name, id: asker.id, cwd: asker.cwd ?? null },
    tool: tool ?? null,
    text: whole?.text ?? decision.text,
    cut: whole === undefined && isCut === true,
    ...(whole?.input !== undefined && { input: whole.input }),
    options: whole?.options ?? options,
    askedAt,
    deadline: deadline ?? null,
    state: state.kind,
    waiting: isWaiting,
    more,
    answer:
      state.kind === 'answered'
        ? {
            choice: state.choice,
            message: state.message ?? null,
            changed: state.isChanged,
            by: state.by,
            at: state.at,
          }
        : null,
    withdrawn: state.kind === 'withdrawn' ? { why: state.why, at: state.at } : null,
  }
}

/** For a list of them: all of one is asked for by its id. */
export function shortened({ input: _, ...view }: DecisionView): DecisionView {
  const text = truncate(view.text, LISTED_CHARS)
  return { ...view, text, cut: view.cut || text !== view.text }
}

const LISTED_CHARS = 1_000
