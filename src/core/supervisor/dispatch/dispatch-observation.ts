import type { DiagnosisKind } from '../../monitor/diagnosis.ts'
import type { Verdict } from '../../session/verdict.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ComposerSight } from '../trigger/composer.ts'
import type { Trigger } from '../trigger/trigger.ts'

/** All that is seen at one moment of the agent that is at work on a dispatch: its own, or its reviewer. */
export type DispatchObservation = {
  /** Undefined: it was deregistered. */
  runtime: Pick<Runtime, 'status' | 'startedAt'> | undefined
  /** The one that brings it its task; undefined: none was made yet. */
  trigger: Trigger | undefined
  verdict: Verdict | undefined
  ending: TurnEnding
  /** What it said when its last turn ended. */
  lastWords: string | undefined
  /** Looked at now; undefined where that could not be done. */
  composer: ComposerSight | undefined
  dialog: DialogSight
  /** What the monitor says of a screen that stands still. */
  diagnosis: DiagnosisKind | undefined
  /** The screen without what moves by itself, as a short name for it. */
  screen: string
  /** Somebody typed there lately, or a draft stands in its composer. */
  isTouched: boolean
  /** Whether what is in its pane stands in the queue by itself. */
  isListed: boolean
}

/**
 * How a turn ended. `said`: with its last words. `asked`: with a question. `interrupted`: by somebody's key.
 * `failed`: its model could not be reached. `left-tasks`: something of it still runs in the background.
 */
export type TurnEnding = 'said' | 'asked' | 'interrupted' | 'failed' | 'left-tasks'

/**
 * Which answer of a dialog is marked: a `yes` that holds for this one time, or anything `other`.
 * `none`: there is no dialog to be seen.
 */
export type DialogSight = 'yes' | 'other' | 'none'

/** Whether an agent's last words ask the operator something. */
export function endsWithQuestion(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return /\?["'”’)\]*_`]{0,4}$/.test(last.trimEnd())
}

/**
 * What Enter would take; `oneTime` are the answers of its harness that hold once. Of the words on a screen
 * only the list of choices at its very end is the dialog's own: what stands above it an agent may have
 * written, and where no choice of it is marked, none was seen.
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

/** Which keys to press, or the edge of the box. */
const MOST_LINES_BELOW = 3
const MARKED = /^[\s│]*[❯›●]\s+\S/
const CHOICE = /^[\s│]*(?<mark>[❯›●]\s+)?(?<number>\d{1,2})[.)]\s+(?<text>\S.*?)[\s│]*$/

type Choice = { number: number; text: string; isMarked: boolean }

/** What is marked without a number is no choice of such a list: it stands for itself. */
function choiceIn(line: string): Choice[] {
  const { mark, number, text = '' } = CHOICE.exec(line)?.groups ?? {}
  if (number) return [{ number: Number(number), text, isMarked: mark !== undefined }]
  return MARKED.test(line) ? [{ number: 1, text: '', isMarked: true }] : []
}
