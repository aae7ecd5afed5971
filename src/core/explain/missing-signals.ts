import type { ProcessSighting } from '../session/evidence.ts'
import type { Session } from '../session/session.ts'
import { isFromBeforeStart } from '../session/verdict.ts'

/** Habits of a harness that explain its sessions, each as part of a sentence. Missing parts are left out. */
export type Habits = {
  /** How it runs with nobody in front of it. */
  headless?: string
  /** What happens after a dialog that it shows before it reports anything. */
  dialogFirst?: string
  /** Why nobody reports the answer to a permission. */
  answersUnreported?: string
  /** When it creates its transcript. */
  transcriptMade?: string
  /** Where else a session without a known pane may run, besides outside tmux. */
  elsewhere?: string
}

/** What can be seen of a session from outside: its harness, pane, process and transcript. */
export type Surroundings = {
  /** What a human calls the harness. */
  title: string
  /** What to say if no hook or no status has arrived; absent without an adapter. */
  advice: { hooks: string; status?: string } | undefined
  /** Empty without an adapter. */
  habits: Habits
  pane: 'present' | 'none' | 'lost' | 'unreachable'
  /** The current state of its process, if we looked. */
  process: ProcessSighting | undefined
  /** Its pid inside its own PID namespace; absent in ours. */
  innerPid?: number
  transcript: 'there' | 'untold' | 'absent' | { unreadable: string }
}

/** What we do not know about a session, and what that means. Nothing is missing for one that ended. */
export function missingOf(session: Session, surroundings: Surroundings): string[] {
  if (session.verdict.state === 'ended') return []
  return [
    session.headless ? humanMissing(surroundings) : paneMissing(session, surroundings),
    ...(surroundings.advice && isStarting(session)
      ? [sessionMissing(surroundings), namespaceMissing(session, surroundings)]
      : [
          hooksMissing(session, surroundings),
          statusMissing(session, surroundings),
          transcriptMissing(session, surroundings),
        ]),
    processMissing(session),
  ].filter((sentence) => sentence !== undefined)
}

function humanMissing({ habits: { headless } }: Surroundings): string {
  return `Nobody sits in front of it${headless ? ` (${headless})` : ''}: it is never queued.`
}

function sessionMissing({ habits: { dialogFirst } }: Surroundings): string {
  const why = dialogFirst ? `: ${dialogFirst}` : ''
  return `So far only its screen shows it. It is probably still starting${why}.`
}

/** Before a session begins, a program that asks something shows only on the screen, without a turn. */
function isStarting({ evidence, verdict }: Session): boolean {
  if (verdict.by !== 'screen' || verdict.state !== 'stuck') return false
  if (evidence.turnShownAt !== undefined) return false
  return isSeenOnly(evidence) && verdict.reason === 'permission'
}

function paneMissing({ pane, job }: Session, surroundings: Surroundings): string | undefined {
  // Next opens a window for what runs in the background.
  if (job !== undefined) return undefined
  switch (surroundings.pane) {
    case 'present':
      return undefined
    case 'none':
      return `No pane: it runs ${placesOf(surroundings.habits)}. No key can take you to it.`
    case 'lost':
      return `Its pane ${pane?.id} is not there any more. No key can take you to it.`
    case 'unreachable':
      return `The tmux server ${pane?.socket} does not answer, so its pane ${pane?.id} cannot be seen.`
    default:
      return surroundings.pane satisfies never
  }
}

function placesOf({ elsewhere }: Habits): string {
  const usual = 'outside tmux, or in a tmux server that cannot be reached'
  return elsewhere === undefined ? usual : `${usual}, or ${elsewhere}`
}

function hooksMissing({ evidence }: Session, { title, advice }: Surroundings): string | undefined {
  if (!advice && isSeenOnly(evidence)) {
    return `Trail Boss has no adapter for ${title}; it knows only its screen and process.`
  }
  if (!advice) return `No adapter knows ${title}: all that is known of it was reported.`
  if (evidence.heard?.hook !== undefined) return undefined
  return `No hook has come from this session. ${advice.hooks}`
}

function isSeenOnly({ heard }: Session['evidence']): boolean {
  const sources = Object.keys(heard ?? {})
  return sources.length > 0 && sources.every((source) => source === 'screen')
}

function statusMissing({ evidence }: Session, surroundings: Surroundings): string | undefined {
  const { title, advice } = surroundings
  const { status } = evidence
  if (!advice?.status) return undefined
  if (!status) {
    return (
      namespaceMissing({ evidence }, surroundings) ??
      `${title} publishes no status for it. ${advice.status}`
    )
  }
  if (status.claim === 'unclear') return `Its status does not count: ${status.detail}.`
  if (!isFromBeforeStart(evidence)) return undefined
  return 'Its status does not count: it is from before the session started.'
}

function namespaceMissing(
  { evidence }: Pick<Session, 'evidence'>,
  { title, advice, innerPid }: Surroundings,
): string | undefined {
  if (!advice?.status || evidence.status || innerPid === undefined) return undefined
  return `${title} runs in a PID namespace of its own (a container, or unshare), as process ${innerPid} there. The status that it publishes under that number could not be found from here.`
}

function transcriptMissing(
  { transcript }: Session,
  surroundings: Surroundings,
): string | undefined {
  if (!surroundings.advice || surroundings.transcript === 'there') return undefined
  if (surroundings.transcript === 'untold') return 'Nothing says where its transcript is.'
  if (surroundings.transcript === 'absent') {
    const { transcriptMade } = surroundings.habits
    return `No transcript found yet${transcriptMade ? `; ${transcriptMade}` : ''}: ${transcript}`
  }
  return `Its transcript ${transcript} cannot be read: ${surroundings.transcript.unreadable}.`
}

function processMissing({ pid, pane }: Session): string | undefined {
  if (pid !== undefined) return undefined
  return pane
    ? 'Its process is not known: its end shows only when its pane is closed.'
    : 'Its process is not known: its end shows only if somebody reports it.'
}
