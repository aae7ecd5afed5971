import { fingerprintOf } from './fingerprint.ts'

/**
 * What keeps agents from talking in circles. A thread is blocked by its 20th turn in a row without progress, and
 * by the third report of one finding, never earlier and never later; the turn itself still counts as posted.
 *
 * - A **turn** is one message that an agent posts. Posts of the operator or of Trail Boss are not turns.
 * - **Progress** is what a turn reports as changed (a commit, a test that passes now) and no turn of this thread
 *   has reported before. A new finding is not progress, and neither is a new wording of plain text: only
 *   `progress` counts. A post of the operator counts as progress, since it gives the agents something new.
 * - A **finding** is one entry of a turn's `findings`: a problem, as a reviewer would list it. Two findings are
 *   identical if their texts are, apart from letter case and white space, whoever reports them. Twice in one turn
 *   counts once. Progress does not remove a finding: a finding that comes again after a fix is what a circle looks
 *   like.
 *
 * Only the operator's decision to continue (`noSafeguardYet`) resets both counts.
 */
export type Safeguard = {
  turnsWithoutProgress: number
  /** How often each finding came up, by fingerprint; the latest is at the end. */
  findings: Tally[]
  /** What was reported as progress, in the same way. */
  progress: Tally[]
}

export type Tally = { print: string; times: number }

export type SafeguardRules = { turns: number; findings: number }

export type Turn = {
  by: 'agent' | 'operator' | 'system'
  progress?: string | undefined
  findings: readonly string[]
}

/** Why a thread was blocked. */
export type Circle =
  | { kind: 'no-progress'; turns: number }
  | { kind: 'same-finding'; finding: string; times: number }

export const DEFAULT_SAFEGUARD_RULES: SafeguardRules = { turns: 20, findings: 3 }

export const noSafeguardYet: Safeguard = { turnsWithoutProgress: 0, findings: [], progress: [] }

export function safeguardStep(
  safeguard: Safeguard,
  turn: Turn,
  rules: SafeguardRules = DEFAULT_SAFEGUARD_RULES,
): { safeguard: Safeguard; circle: Circle | undefined } {
  switch (turn.by) {
    case 'agent': {
      const next = afterTurn(safeguard, turn)
      return { safeguard: next, circle: circleIn(next, turn, rules) }
    }
    case 'operator':
      return { safeguard: { ...safeguard, turnsWithoutProgress: 0 }, circle: undefined }
    case 'system':
      return { safeguard, circle: undefined }
    default:
      return turn.by satisfies never
  }
}

/** In one sentence, for whoever has to decide. */
export function circleText(circle: Circle): string {
  return circle.kind === 'no-progress'
    ? `${circle.turns} turns without progress.`
    : `The same finding ${circle.times} times: ${circle.finding.replace(/(?<![.!?…])$/, '.')}`
}

/** More would only make every message of an endless thread more expensive; the oldest go first. */
const MOST_REMEMBERED = 1_000

function afterTurn(safeguard: Safeguard, turn: Turn): Safeguard {
  const stated = hasText(turn.progress) ? fingerprintOf(turn.progress) : undefined
  const isProgress = stated !== undefined && timesOf(safeguard.progress, stated) === 0
  return {
    turnsWithoutProgress: isProgress ? 0 : safeguard.turnsWithoutProgress + 1,
    findings: counted(safeguard.findings, printsOf(turn.findings)),
    progress: counted(safeguard.progress, stated === undefined ? [] : [stated]),
  }
}

function circleIn(safeguard: Safeguard, turn: Turn, rules: SafeguardRules): Circle | undefined {
  for (const finding of turn.findings.filter(hasText)) {
    const times = timesOf(safeguard.findings, fingerprintOf(finding))
    if (times >= rules.findings) return { kind: 'same-finding', finding, times }
  }
  const turns = safeguard.turnsWithoutProgress
  return turns >= rules.turns ? { kind: 'no-progress', turns } : undefined
}

function counted(tallies: readonly Tally[], prints: readonly string[]): Tally[] {
  const others = tallies.filter(({ print }) => !prints.includes(print))
  const latest = prints.map((print) => ({ print, times: timesOf(tallies, print) + 1 }))
  return [...others, ...latest].slice(-MOST_REMEMBERED)
}

function timesOf(tallies: readonly Tally[], print: string): number {
  return tallies.find((tally) => tally.print === print)?.times ?? 0
}

function printsOf(findings: readonly string[]): string[] {
  return [...new Set(findings.filter(hasText).map(fingerprintOf))]
}

/** Text that is only white space or invisible says nothing. */
function hasText(text: string | undefined): text is string {
  return text !== undefined && fingerprintOf(text) !== EMPTY
}

const EMPTY = fingerprintOf('')
