import type { DiagnosisKind } from '../monitor/diagnosis.ts'
import { DEFAULT_RULES, type TriageRules } from './defaults.ts'

/**
 * What the supervisor may do by itself when a managed runtime of a workspace stalls. Each policy includes the one
 * before: `escalate` presses nothing, `nudge` may wake an agent that hangs, `approve` may also take the marked
 * answer of a dialog, if it applies only once. The default is `escalate`.
 */
export type TriagePolicy = (typeof TRIAGE_POLICIES)[number]

export const TRIAGE_POLICIES = ['escalate', 'nudge', 'approve'] as const

export const DEFAULT_POLICY: TriagePolicy = 'escalate'

export type TriageCase = {
  diagnosis: DiagnosisKind
  /** Keys pressed since its screen last changed. */
  attempts: number
  /** Somebody typed there recently, or its composer holds a draft: a key could do harm. */
  isTouched: boolean
}

/** A key that has no effect is pressed a limited number of times; then the agent is left to the operator. */
export type TriageAct =
  | { kind: 'none' }
  | { kind: 'press'; key: 'Enter'; as: 'nudge' | 'approve' }
  | { kind: 'escalate' }

export function triageAct(
  policy: TriagePolicy,
  { diagnosis, attempts, isTouched }: TriageCase,
  rules: TriageRules = DEFAULT_RULES.triage,
): TriageAct {
  const remedy = remedyFor(diagnosis)
  if (!remedy) return { kind: 'none' }
  const isAllowed = TRIAGE_POLICIES.indexOf(policy) >= TRIAGE_POLICIES.indexOf(remedy)
  if (!isAllowed || isTouched || attempts >= rules.attempts) return { kind: 'escalate' }
  return { kind: 'press', key: 'Enter', as: remedy }
}

/** Undefined if there is nothing to remedy: it works, waits at its prompt, or is gone, which other parts handle. */
function remedyFor(diagnosis: DiagnosisKind): 'nudge' | 'approve' | undefined {
  switch (diagnosis) {
    case 'dialog':
      return 'approve'
    case 'hung':
      return 'nudge'
    case 'working':
    case 'slow':
    case 'idle':
    case 'thinking':
    case 'suspended':
    case 'crashed':
    case 'exited':
    case 'finished':
    case 'unobservable':
      return undefined
    default:
      return diagnosis satisfies never
  }
}
