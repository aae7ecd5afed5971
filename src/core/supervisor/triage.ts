import type { DiagnosisKind } from '../monitor/diagnosis.ts'
import type { SupervisorRules } from './defaults.ts'
import { type TriagePolicy, triageAct } from './policy.ts'

/**
 * Which answer of a dialog is marked: a `yes` that applies only once, or any `other` one. `none`: no dialog is
 * visible.
 */
export type DialogSight = 'yes' | 'other' | 'none'

/** What one look at an agent shows that matters for pressing keys. */
export type TriageSight = {
  dialog: DialogSight
  /** The monitor's diagnosis of a screen that stands still. */
  diagnosis: DiagnosisKind | undefined
  /** A short name for the screen, ignoring what moves by itself. */
  screen: string
  /** Somebody typed there recently, or its composer holds a draft. */
  isTouched: boolean
}

/** What we remember from one look to the next. */
export type TriageMemory = {
  /** The dialog to answer once it has been visible for long enough. */
  dialog: { screen: string; since: number } | undefined
  /** The last key pressed by policy, how often on the same screen, and whether it had an effect. */
  pressed: { at: number; times: number; screen: string; hadEffect: boolean } | undefined
}

export const NO_TRIAGE: TriageMemory = { dialog: undefined, pressed: undefined }

/** `wait`: it is too early to say. `escalate`: the operator has to decide. */
export type TriageOutcome = {
  memory: TriageMemory
  act:
    | { kind: 'press'; key: 'Enter'; as: 'nudge' | 'approve' }
    | { kind: 'wait' }
    | { kind: 'escalate' }
}

type Allowed = { policy: TriagePolicy; rules: Pick<SupervisorRules, 'dispatch' | 'triage'> }

/**
 * Answers a dialog only if the policy allows it and Enter would take a one-time yes. The dialog must have been
 * visible for a while: a program may drop what is typed right after it drew one.
 */
export function dialogTriage(
  memory: TriageMemory,
  seen: TriageSight,
  now: number,
  allowed: Allowed,
): TriageOutcome {
  const { screen } = seen
  const rest = { ...memory, dialog: undefined }
  if (seen.dialog !== 'yes') return { memory: rest, act: { kind: 'escalate' } }
  const outcome = triaged(rest, seen, now, 'dialog', allowed)
  if (outcome.act.kind !== 'press' || memory.pressed?.screen === screen) return outcome
  const since = memory.dialog?.screen === screen ? memory.dialog.since : now
  const hasSettled = now - since >= allowed.rules.dispatch.settleMs
  return hasSettled
    ? outcome
    : { memory: { ...memory, dialog: { screen, since } }, act: { kind: 'wait' } }
}

/** Wakes an agent that hangs, if the policy allows it. */
export function hungTriage(
  memory: TriageMemory,
  seen: TriageSight,
  now: number,
  allowed: Allowed,
): TriageOutcome {
  return triaged(memory, seen, now, 'hung', allowed)
}

function triaged(
  memory: TriageMemory,
  { screen, isTouched }: TriageSight,
  now: number,
  diagnosis: 'dialog' | 'hung',
  { policy, rules }: Allowed,
): TriageOutcome {
  const last = memory.pressed
  // The screen may still show what the last key was for, drawn slightly differently.
  if (last && !last.hadEffect && now - last.at < rules.dispatch.recheckMs) {
    return { memory, act: { kind: 'wait' } }
  }
  const attempts = last?.screen === screen ? last.times : 0
  const act = triageAct(policy, { diagnosis, attempts, isTouched }, rules.triage)
  if (act.kind !== 'press') return { memory, act: { kind: 'escalate' } }
  const pressed = { at: now, times: attempts + 1, screen, hadEffect: false }
  return { memory: { ...memory, pressed }, act }
}
