import { accessSync, constants, statSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'
import type { Surroundings } from '../../core/explain/missing-signals.ts'
import type { Session } from '../../core/session/session.ts'
import { adapterFor } from '../../harness/registry.ts'
import { innerPidOf } from '../../process/pid-namespace.ts'
import { processState } from '../../process/process-state.ts'
import type { AdmissionClock } from '../../service/clock.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import { programName } from '../sessions/program-session.ts'

/** Looks at a session's surroundings now. */
export function surroundingsOf(
  session: Session,
  inventory: PaneInventory,
  clock: AdmissionClock,
): Surroundings {
  const adapter = adapterFor(session.harness)
  const innerPid = session.pid === undefined ? undefined : innerPidOf(session.pid)
  return {
    title: adapter?.title ?? programName(session) ?? session.harness,
    advice: adapter && {
      ...adapter.advice,
      hooks: adapter.advice.hooks(session.transcript, process.env),
    },
    habits: adapter?.habits ?? {},
    pane: paneOf(session, inventory),
    process: processOf(session, clock),
    ...(innerPid !== undefined && { innerPid }),
    transcript: transcriptOf(session),
  }
}

function paneOf({ pane }: Session, inventory: PaneInventory): Surroundings['pane'] {
  if (!pane) return 'none'
  const sighting = inventory.sighting(pane)
  switch (sighting) {
    case 'present':
    case 'unasked':
      return 'present'
    case 'missing':
    case 'gone':
      return 'lost'
    case 'unobservable':
    case 'unreached':
      return 'unreachable'
    default:
      return sighting satisfies never
  }
}

function processOf(session: Session, clock: AdmissionClock): Surroundings['process'] {
  const { pid, pidStart, lastAt } = session
  if (pid === undefined) return undefined
  const state = processState(pid, { start: pidStart, knownAt: clock.toWall(lastAt) })
  return { at: clock.now(), state, detail: `process ${pid} ${state === 'alive' ? 'runs' : state}` }
}

function transcriptOf({ transcript }: Session): Surroundings['transcript'] {
  if (transcript === undefined) return 'untold'
  try {
    const stat = statSync(transcript, { throwIfNoEntry: false })
    if (!stat) return 'absent'
    if (!stat.isFile()) return { unreadable: 'it is not a regular file' }
    accessSync(transcript, constants.R_OK)
    return 'there'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTDIR' ? 'absent' : { unreadable: messageOf(error) }
  }
}
