import type { DiagnosisKind } from '../monitor/diagnosis.ts'
import type { Verdict } from '../verdict.ts'
import type { ComposerSight } from './composer.ts'
import type { Runtime } from './runtime.ts'
import type { Trigger } from './trigger.ts'

/** All that is seen at one moment of the agent that is at work on a dispatch: its own, or its reviewer. */
export type DispatchSight = {
  /** Undefined: it was deregistered. */
  runtime: Pick<Runtime, 'status' | 'wantsRunning' | 'startedAt'> | undefined
  /** The one that brings it its task; undefined: none was made yet. */
  trigger: DispatchTrigger | undefined
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

export type DispatchTrigger = Pick<Trigger, 'id' | 'state' | 'code' | 'createdAt' | 'claimedAt'>

/**
 * How a turn ended. `said`: with its last words. `asked`: with a question. `interrupted`: by somebody's key.
 * `failed`: its model could not be reached. `left-tasks`: something of it still runs in the background.
 */
export type TurnEnding = 'said' | 'asked' | 'interrupted' | 'failed' | 'left-tasks'

/** Which answer of a dialog is marked. `none`: there is no dialog to be seen. */
export type DialogSight = 'yes' | 'other' | 'none'

/** Whether an agent's last words ask the operator something. */
export function endsWithQuestion(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return /\?["'”’)\]*_`]{0,4}$/.test(last.trimEnd())
}

/** The marked choice of a dialog: with Enter it is taken. */
export function markedAnswer(lines: readonly string[]): DialogSight {
  const marked = lines.filter((line) => MARKED.test(line)).at(-1)
  return marked !== undefined && YES.test(marked) ? 'yes' : 'other'
}

const MARKED = /^[\s│┃|]*[❯›●▶➜>]\s+(?:\d+[.)]\s+)?\S/
const YES = /^[\s│┃|]*[❯›●▶➜>]\s+(?:\d+[.)]\s+)?(?:Yes|Allow|Approve|Accept|Proceed)\b/i
