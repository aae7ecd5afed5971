import { basename } from 'node:path'
import { isQueued } from '../core/session/queue.ts'
import type { Transition } from '../core/session/state.ts'
import { labelOf } from '../core/session/wait-label.ts'
import { displayLine, truncate } from '../core/text.ts'
import type { Components } from './components.ts'
import type { News } from './herd/announcements.ts'
import type { DaemonSettings } from './home/settings.ts'
import type { PaneSighting } from './panes/pane-inventory.ts'

/** The last look's result for a pane that came after it; `gone` if its whole server is new. */
const MAY_BE_NEW = new Set<PaneSighting>(['unasked', 'missing', 'gone'])

/** From the start on, a change of a session goes to the log, the followers and the monitor. */
export function followChanges(components: Components): void {
  const { herd, statuses, background } = components
  herd.onChange((news) => notice(components, news))
  herd.answerChange(({ updated }) => {
    for (const session of updated) statuses.follow(session)
    if (updated.some(({ job }) => job !== undefined)) background.look()
  })
}

/** Reads what harnesses have published or written in the meantime, then shows the queue in tmux. */
export function showChanges({ herd, statuses, transcripts, projector, drain }: Components): void {
  herd.onChange((news) => drain.changed(news))
  herd.answerChange(({ updated, transitions, affectsQueue }) => {
    // The first session of a harness or a project creates the directories that it writes to.
    if (transitions.length > 0) statuses.sweepUnwatched()
    for (const { key } of updated) transcripts.catchUp(key)
    if (affectsQueue) projector.projectAll()
  })
}

function notice(components: Components, news: News): void {
  const { settings, inventory, servers, reconciler, monitor, transcripts, views } = components
  narrateAll(news, settings)
  for (const session of news.updated) {
    transcripts.follow(session)
    monitor.reported(session)
    // Its place in git is read in the background: whoever asks for the queue next should not be too early.
    if (isQueued(session)) views.project(session)
    if (!session.pane || session.verdict.state === 'ended') continue
    const note = () => reconciler.notePane(session)
    if (!MAY_BE_NEW.has(inventory.sighting(session.pane))) note()
    else void servers.lookAt(session.pane.socket).then(note)
  }
}

/** Logs every change of a session's state, and prints what concerns the operator. */
function narrateAll({ transitions }: News, { say, log }: DaemonSettings): void {
  for (const transition of transitions) {
    const line = narrate(transition, new Date())
    if (line) say(line)
    const { session, from, to } = transition
    log.info(
      { session_id: session.id, harness: session.harness, pane_id: session.pane?.id, from, to },
      'session changed',
    )
  }
}

/** One plain line for whoever runs the daemon in a terminal, when a session gets stuck or continues. */
function narrate({ session, from, to }: Transition, time: Date): string | undefined {
  const { verdict } = session
  const clock = time.toTimeString().slice(0, 8)
  const who = `${session.harness}  ${displayLine(basename(session.cwd ?? '')) || displayLine(session.id)}`
  if (verdict.state === 'stuck') {
    const ask = truncate(displayLine(verdict.ask.text), 80)
    return `${clock}  stuck    ${who}  ${labelOf(verdict)}: ${ask}`
  }
  if (to === 'ended') return `${clock}  ended    ${who}`
  return from === 'stuck' ? `${clock}  goes on  ${who}` : undefined
}
