import { redactedScreen } from '../redact/redaction.ts'
import type { Screen } from '../screen/screen.ts'
import type { Sight } from '../screen/screen-match.ts'
import type { AgentEvent } from '../session/event.ts'
import type { Watched } from './watched.ts'

/** What a look reports about a session: an event without who and where. */
export type MonitorReport = Pick<
  AgentEvent,
  'kind' | 'source' | 'reason' | 'label' | 'ask' | 'detail'
>

/** A report, and the name that keeps it from being made twice. */
export type NamedReport = { report: MonitorReport; name: string }

/** What to report now, unless it was the last report. */
export function reportOf(after: Watched, hasChanged: boolean): NamedReport | undefined {
  const named =
    endOf(after) ??
    stallReport(after) ??
    sightReport(after) ??
    recovery(after, hasChanged) ??
    unclear(after)
  return named?.name === after.reported ? undefined : named
}

/** The same if the pane could not be captured: then only the process is known. */
export function blindReport(after: Watched): NamedReport | undefined {
  const named = endOf(after)
  return named?.name === after.reported ? undefined : named
}

const STALL = 'stall'
const WORKING = 'working'
const UNCLEAR = 'unclear'
/** Between two of its frames a program may look idle or like nothing at all, so that counts only if it stays. */
const LOOKS_TO_STAY = 2

function endOf({ diagnosis }: Watched): NamedReport | undefined {
  if (!diagnosis || !['crashed', 'exited', 'finished'].includes(diagnosis.kind)) return undefined
  const detail = withinSentence(diagnosis.sentence)
  return { name: diagnosis.kind, report: { kind: 'ended', source: 'process', detail } }
}

/** As a part of another sentence. */
function withinSentence(sentence: string): string {
  return (sentence.charAt(0).toLowerCase() + sentence.slice(1)).replace(/\.$/, '')
}

/** The ask is the diagnosis, followed by the current screen. */
function stallReport({ diagnosis, screen, reported }: Watched): NamedReport | undefined {
  if (!diagnosis?.isStall) return undefined
  // It is reported once, and its screen read for that alone.
  const frozen = screen && reported !== STALL ? lastLines(screen).join('\n') : ''
  const ask = { text: [diagnosis.sentence, frozen].filter(Boolean).join('\n\n') }
  const detail = `stalled: ${diagnosis.kind}`
  return {
    name: STALL,
    report: { kind: 'stuck', source: 'screen', reason: 'stopped', label: 'stalled', ask, detail },
  }
}

function sightReport({ sight, sightLooks }: Watched): NamedReport | undefined {
  if (!sight) return undefined
  switch (sight.shows) {
    case 'dialog':
      return waiting(sight, 'permission')
    case 'idle':
    case 'failed':
      return sightLooks >= LOOKS_TO_STAY ? waiting(sight, 'stopped') : undefined
    case 'working':
      return working(sight.rule)
    case 'finished':
      return undefined
    default:
      return sight.shows satisfies never
  }
}

function waiting({ rule, ask, label }: Sight, reason: 'permission' | 'stopped'): NamedReport {
  return {
    name: JSON.stringify([reason, rule, ask]),
    report: {
      kind: 'stuck',
      source: 'screen',
      reason,
      ...(label && { label }),
      ...(ask !== undefined && { ask: { text: ask } }),
      detail: rule,
    },
  }
}

/** A stall is over when anything moves; without rules for its screen, movement is also how work looks. */
function recovery(after: Watched, hasChanged: boolean): NamedReport | undefined {
  const { reported, diagnosis, isHarness } = after
  if (isKnown(after)) return undefined
  if (reported === STALL) return working(diagnosis?.sentence ?? 'it moves again')
  return !isHarness && hasChanged ? working('its screen moves') : undefined
}

function working(detail: string): NamedReport {
  return { name: WORKING, report: { kind: 'unstuck', source: 'screen', detail } }
}

/** No rule knows the screen any more, so the last report no longer holds. */
function unclear(after: Watched): NamedReport | undefined {
  const { reported, sightLooks, isHarness } = after
  if (!isHarness || reported === undefined || isKnown(after)) return undefined
  if (sightLooks < LOOKS_TO_STAY) return undefined
  const detail = 'the screen says nothing'
  return { name: UNCLEAR, report: { kind: 'seen', source: 'screen', detail } }
}

/** A shell that is back says nothing about the program: its process does. */
function isKnown({ sight }: Watched): boolean {
  return sight !== undefined && sight.shows !== 'finished'
}

const FROZEN_LINES = 12
const FROZEN_CHARS = 200
/** What stands above tells what the first of them are: the rest of a key, a password. */
const LINES_ABOVE = 40
const MOST_CHARS = 1_000

/** The bottom of a screen, without empty lines and without secrets, which are found before anything is cut off. */
export function lastLines({ lines, width }: Pick<Screen, 'lines'> & { width?: number }): string[] {
  const bottom = lines.slice(-FROZEN_LINES - LINES_ABOVE).map((line) => line.slice(0, MOST_CHARS))
  const shown = redactedScreen(bottom.join('\n'), width)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return shown.slice(-FROZEN_LINES).map((line) => line.slice(0, FROZEN_CHARS))
}
