import type { Ask, Source } from '../session/event.ts'
import { type Evidence, openBlocks } from '../session/evidence.ts'
import type { Session } from '../session/session.ts'
import { hasFinishedOurPrompt } from '../session/turn-end.ts'
import { isOvertaken, isResumed, type Verdict } from '../session/verdict.ts'
import { type Habits, missingOf, type Surroundings } from './missing-signals.ts'
import { type EvidenceLine, evidenceLines } from './reasons.ts'

/** Why a session's verdict is what it is, in words. */
export type Explanation = {
  /** What decided, and why it counts more than contradicting evidence. */
  why: string
  because: EvidenceLine[]
  /** It has turns, all from before its restart. */
  resumed: boolean
  /** What we do not know about it, or could know better, one sentence each. */
  missing: string[]
}

export function explanationOf(session: Session, surroundings: Surroundings): Explanation {
  const { evidence, verdict } = session
  return {
    why: sentences(
      whyOf(evidence, verdict, surroundings),
      hasFinishedOurPrompt(evidence, verdict) ? FINISHED_OURS : undefined,
    ),
    because: evidenceLines({ ...evidence, process: processOf(evidence, surroundings) }, verdict),
    resumed: isResumed(evidence),
    missing: missingOf(session, surroundings),
  }
}

const FINISHED_OURS =
  'It has finished what a prompt of the supervisor asked, so it is not yours to answer. It is listed when it asks something, fails, or finishes what you ask it yourself.'

/** Being alive decides nothing and is rarely reported, so we use what we see now. */
function processOf({ process }: Evidence, surroundings: Surroundings): Evidence['process'] {
  return process?.state === 'alive'
    ? (surroundings.process ?? process)
    : (process ?? surroundings.process)
}

function whyOf(evidence: Evidence, verdict: Verdict, surroundings: Surroundings): string {
  const { by } = verdict
  switch (by) {
    case 'process':
      return processWhy(verdict)
    case 'status':
      return statusWhy(evidence, verdict, surroundings)
    case 'screen':
      return screenWhy(evidence, verdict)
    case undefined:
      return 'Nothing has claimed a state yet.'
    case 'hook':
    case 'transcript':
    case 'api':
      return sentences(reportWhy(evidence, verdict), overtakenNote(evidence, verdict, surroundings))
    default:
      return by satisfies never
  }
}

function processWhy({ state, why }: Verdict): string {
  if (state === 'stuck') {
    return 'Its process is suspended (Ctrl-Z). Whatever else is said of it, it does nothing until it is brought back.'
  }
  if (state === 'ended') return `It is over: ${why}.`
  return `It cannot be looked at: ${why}. That is no reason to call it ended; it keeps its place until it can be seen again.`
}

function statusWhy(evidence: Evidence, verdict: Verdict, { title, habits }: Surroundings): string {
  const says = `${title} itself says "${evidence.status?.detail ?? verdict.why}"`
  if (verdict.state === 'unknown' && evidence.status?.claim === 'unclear') {
    return `What ${title} publishes does not count (${evidence.status.detail}), and nothing else has shown a turn of it yet.`
  }
  switch (verdict.state) {
    case 'ended':
      return `It is over: ${verdict.why}.`
    case 'unknown':
      return isResumed(evidence)
        ? `${says}. It was resumed, and nothing was asked of it since. So it waits for nothing.`
        : `${says}, and nothing was asked of it yet. So it waits for nothing.`
    case 'working':
      return sentences(`${says}.`, contradictionNote(evidence, habits))
    case 'stuck':
      return sentences(`${says}.`, askNote(evidence, verdict.ask, verdict.reason === 'permission'))
    default:
      return verdict satisfies never
  }
}

/** The status outweighs hooks and transcript: mention it when they differ. */
function contradictionNote(evidence: Evidence, habits: Habits): string | undefined {
  const { status, stops } = evidence
  const open = openBlocks(evidence)
  const block = open.findLast(({ isNamed }) => isNamed) ?? open.at(-1)
  if (block && status) {
    const asked = nameOf(block.source, block.detail)
    return block.openedAt <= status.at
      ? `${capital(asked)} asked before that and nobody reported an answer; but ${habits.answersUnreported ?? 'it works again'}, so it was answered.`
      : `${capital(asked)} has just asked; it counts as soon as the status says so, too.`
  }
  const [source, stop] = Object.entries(stops).find(([, { at }]) => at > (status?.at ?? 0)) ?? []
  if (!source || !stop) return undefined
  return `${capital(nameOf(source as Source, stop.detail))} has just said that the turn ended; it counts as soon as the status says so, too.`
}

/** Names the source of the ask, which is rarely the status. */
function askNote(evidence: Evidence, ask: Ask, isPrompt: boolean): string {
  const isIt = (known: Ask | undefined) =>
    known !== undefined && (ask.text === known.text || ask.text.startsWith(`${known.text}\n\n(`))
  const block = openBlocks(evidence).find((open) => isIt(open.ask))
  if (block) return `${capital(nameOf(block.source, block.detail))} says what it asks.`
  if (isPrompt) {
    if (isIt(evidence.screen?.ask)) return 'What it asks is read from its screen.'
    if (evidence.pending?.asks.some(isIt)) {
      return 'What it asks is the first tool in its transcript that has no result.'
    }
    return isIt(evidence.status?.ask)
      ? 'It says no more of what it asks, and nothing else does.'
      : 'Nothing says what it asks.'
  }
  for (const source of ['hook', 'api', 'transcript'] as const) {
    const stop = evidence.stops[source]
    if (stop && isIt(stop.ask))
      return `${capital(nameOf(source, stop.detail))} says how it stopped.`
  }
  return evidence.worked && evidence.worked.at === evidence.lifted['']
    ? 'The last thing reported is your prompt, so it was interrupted before it answered.'
    : 'Nothing says how it stopped.'
}

function screenWhy({ heard }: Evidence, { why }: Verdict): string {
  const isAlone = Object.keys(heard ?? {}).every((source) => source === 'screen')
  return `Its screen shows it (${why}), and ${isAlone ? 'nothing else reports on it' : 'was seen later than any report'}.`
}

function reportWhy(evidence: Evidence, verdict: Verdict): string {
  const reporter = capital(nameOf(verdict.by ?? 'api', verdict.why))
  switch (verdict.state) {
    case 'ended':
      return `It is over: ${nameOf(verdict.by ?? 'api', verdict.why)} says so, and nothing was reported since.`
    case 'working':
      return `${reporter} shows it at work, and nothing has shown a stop since.`
    case 'unknown': {
      const { started } = evidence
      const by = started && nameOf(started.source, started.detail)
      const seen = isResumed(evidence) ? 'since' : 'yet'
      return `It was started${by ? `, says ${by}` : ''}, and no turn of it was seen ${seen}. So it waits for nothing.`
    }
    case 'stuck':
      return verdict.reason === 'permission'
        ? `${reporter} asks, and nothing has answered it since.`
        : `${reporter} says that the turn ended, and nothing has shown work since.`
    default:
      return verdict satisfies never
  }
}

function overtakenNote(
  evidence: Evidence,
  { state }: Verdict,
  { title }: Surroundings,
): string | undefined {
  if (state !== 'working' || !isOvertaken(evidence)) return undefined
  return `${title} itself said "${evidence.status?.detail}" before that, which is over.`
}

function nameOf(source: Source, detail: string): string {
  switch (source) {
    case 'hook':
      return `its hook ${detail}`
    case 'transcript':
      // Only their makers know the names of these lines. The evidence shows them.
      return 'its transcript'
    case 'status':
      return `what it publishes (${detail})`
    case 'screen':
      return `its screen (${detail})`
    case 'process':
      return `its process (${detail})`
    case 'api':
      return `a report of it (${detail})`
    default:
      return source satisfies never
  }
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
