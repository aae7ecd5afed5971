import type { Verdict } from '../../session/verdict.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { DialogSight, TriageSight } from '../triage.ts'
import type { ComposerSight } from '../trigger/composer.ts'
import type { Trigger } from '../trigger/trigger.ts'

/** Everything seen at one moment of the agent that works on a dispatch: its own, or its reviewer. */
export type DispatchObservation = TriageSight & {
  /** Undefined if it was deregistered. */
  runtime: Pick<Runtime, 'status' | 'startedAt'> | undefined
  /** The trigger that brings it its task; undefined if there is none yet. */
  trigger: Trigger | undefined
  verdict: Verdict | undefined
  ending: TurnEnding
  /** What it said when its last turn ended. */
  lastWords: string | undefined
  /** What is seen right now; undefined if we could not look. */
  composer: ComposerSight | undefined
  /** Whether the queue already has an item for what is in its pane. */
  isListed: boolean
}

/**
 * How a turn ended. `said`: with its last words. `asked`: with a question. `interrupted`: by somebody's key.
 * `failed`: its model could not be reached. `left-tasks`: something it started still runs in the background.
 */
export type TurnEnding = 'said' | 'asked' | 'interrupted' | 'failed' | 'left-tasks'

/**
 * What Enter would take; `oneTime` are the answers of its harness that apply only once. Only the list of choices
 * at the very end of the screen belongs to the dialog: an agent may have written anything above it. If no choice
 * in that list is marked, no dialog counts as seen.
 */
export function markedAnswer(lines: readonly string[], oneTime: readonly string[]): DialogSight {
  const shown = lines.filter((line) => /[^\s│]/.test(line))
  const last = shown.findLastIndex((line) => MARKED.test(line) || CHOICE.test(line))
  if (last < shown.length - 1 - MOST_LINES_BELOW) return 'other'
  const choices = shown.slice(0, last + 1).flatMap(choiceIn)
  const list = choices.slice(-(choices.at(-1)?.number ?? 0))
  const isWhole = list.every(({ number }, index) => number === index + 1)
  const [marked, ...others] = list.filter(({ isMarked }) => isMarked)
  const isOneTime = marked !== undefined && oneTime.includes(marked.text)
  return isWhole && isOneTime && others.length === 0 ? 'yes' : 'other'
}

/** Key hints, or the edge of the box. */
const MOST_LINES_BELOW = 3
const MARKED = /^[\s│]*[❯›●]\s+\S/
const CHOICE = /^[\s│]*(?<mark>[❯›●]\s+)?(?<number>\d{1,2})[.)]\s+(?<text>\S.*?)[\s│]*$/

type Choice = { number: number; text: string; isMarked: boolean }

/** A marked line without a number is not a choice of such a list: it stands alone. */
function choiceIn(line: string): Choice[] {
  const { mark, number, text = '' } = CHOICE.exec(line)?.groups ?? {}
  if (number) return [{ number: Number(number), text, isMarked: mark !== undefined }]
  return MARKED.test(line) ? [{ number: 1, text: '', isMarked: true }] : []
}
