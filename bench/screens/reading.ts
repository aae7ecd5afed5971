import type { TriageFacts } from '../../src/core/monitor/diagnosis.ts'
import { DEFAULT_PACE } from '../../src/core/monitor/interval.ts'
import { type Look, monitorStep } from '../../src/core/monitor/monitor.ts'
import { newWatched, type Watched } from '../../src/core/monitor/watched.ts'
import type { Screen } from '../../src/core/screen/screen.ts'
import type { Sight } from '../../src/core/screen/screen-match.ts'
import type { AgentEvent } from '../../src/core/session/event.ts'
import type { Session } from '../../src/core/session/session.ts'
import { apply, commit } from '../../src/core/session/state.ts'
import type { Verdict } from '../../src/core/session/verdict.ts'
import { GENERIC } from '../../src/harness/screen/generic-screen.ts'
import { createScreenReader } from '../../src/harness/screen-reader.ts'
import { signalRulesFor } from '../../src/harness/signal-rules.ts'
import { type CorpusState, looksOf } from '../../test/real-client/record/screen-corpus.ts'
import { stateAfter } from '../../test/real-client/record/told.ts'
import type { RecordedScreen } from './recorded.ts'

/** How a screen was read; `unknown` if no reading was possible. */
export type Reading = CorpusState | 'unknown'

/** Reads it from the looks at the screen alone. */
export function readScreenAlone(recorded: RecordedScreen): Reading {
  const { diagnosis, sight } = watchedOf(recorded)
  if (diagnosis?.isStall) return 'stalled'
  switch (sight?.shows) {
    case 'dialog':
    case 'idle':
    case 'failed':
      return 'waiting'
    case 'working':
    case 'finished':
      return sight.shows
    default:
      return 'unknown'
  }
}

/** Reads it from the received events and the screen together. Undefined if no events were recorded. */
export function readAllEvidence(recorded: RecordedScreen): Reading | undefined {
  const { told } = recorded.screen
  if (!told) return undefined
  const state = stateAfter(told, NOW)
  const session = [...state.sessions.values()].find(({ verdict }) => verdict.state !== 'ended')
  if (!session) return state.sessions.size > 0 ? 'finished' : readScreenAlone(recorded)
  const event = screenEvent(recorded, session)
  const logged = { seq: told.length + 1, admittedAt: NOW, entry: received(event) }
  commit(state, apply(state, logged))
  return readingOf(state.sessions.get(session.key)?.verdict)
}

const NOW = Date.UTC(2026, 0, 1, 12)

const screens = createScreenReader({ file: '', rules: new Map(), problems: [] })

/** A program whose screen stands still is alive and uses no CPU; only the screen shows whether it hangs. */
const AT_REST: TriageFacts = {
  sessionThere: true,
  processAlive: true,
  processState: 'S',
  children: [],
  cpuMsSinceLastLook: 0,
  elapsedMs: 60_000,
  shellInForeground: false,
  hasPrinted: false,
}

/** Looks as the monitor does, each time when the next look that counts is due. All of them had worked before. */
function watchedOf({ harness, screen }: RecordedScreen): Watched {
  return looksOf(screen).reduce<Watched>(
    (watched, look) =>
      monitorStep({
        watched,
        look: lookOf(harness, look),
        facts: AT_REST,
        now: watched.dueAt,
        signalRules: signalRulesFor(harness),
        random: 0.5,
        pace: DEFAULT_PACE,
      }).watched,
    { ...newWatched({ attention: 'fresh', isHarness: true }, NOW), hasWorked: true },
  )
}

function lookOf(harness: string, screen: Screen): Look {
  return { screen, sight: screens.read(harness, screen) ?? shellSight(screen) }
}

/** A harness that exits leaves a shell at its prompt. */
function shellSight(screen: Screen): Sight | undefined {
  const sight = screens.read(GENERIC, screen)
  return sight?.shows === 'finished' ? sight : undefined
}

function screenEvent(recorded: RecordedScreen, { harness, id }: Session): AgentEvent {
  const { rule, reading } = { rule: watchedOf(recorded).sight, reading: readScreenAlone(recorded) }
  const event = { v: 1, harness, session: id, at: NOW, source: 'screen' } as const
  switch (reading) {
    case 'waiting': {
      const reason = rule?.shows === 'dialog' ? 'permission' : 'stopped'
      return { ...event, kind: 'stuck', reason, detail: rule?.rule ?? '' }
    }
    case 'stalled':
      return { ...event, kind: 'stuck', reason: 'stopped', detail: STALLED }
    case 'working':
      return { ...event, kind: 'unstuck', detail: rule?.rule ?? '' }
    case 'finished':
    case 'unknown':
      return { ...event, kind: 'seen', detail: 'the screen says nothing' }
    default:
      return reading satisfies never
  }
}

const STALLED = 'stalled: hung'

/** A suspended program stands still, too. */
function readingOf(verdict: Verdict | undefined): Reading {
  switch (verdict?.state) {
    case 'stuck':
      return verdict.by === 'process' || verdict.why === STALLED ? 'stalled' : 'waiting'
    case 'working':
      return 'working'
    case 'ended':
      return 'finished'
    default:
      return 'unknown'
  }
}

function received(event: AgentEvent) {
  return { type: 'event.received', event, recovered: false } as const
}
