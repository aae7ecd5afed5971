import { redacted } from '../../core/redact/redaction.ts'
import type { OwnSubject } from '../../core/session/subject.ts'
import { DISPATCH_REASON, type Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { failureSentence } from '../../core/supervisor/runtime/failure-code.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { wordsIn } from '../../core/supervisor/trigger/envelope.ts'
import { codeOf, type Trigger, type TriggerIn } from '../../core/supervisor/trigger/trigger.ts'
import { displayLine, truncate } from '../../core/text.ts'
import type { Escalation } from '../context/escalations.ts'

/** The subject of the item for a failed trigger. */
export function itemOf({ id }: Trigger): OwnSubject {
  return { kind: 'trigger', id }
}

/** Why it waits or has failed, in words; undefined if there is nothing to report. */
export function troubleOf(trigger: Trigger): string | undefined {
  const code = codeOf(trigger)
  if (code === undefined) return undefined
  const isHeld = trigger.state === 'failed' && trigger.write?.by === 'channel'
  return isHeld ? `${failureSentence(code)} ${HELD}` : failureSentence(code)
}

const HELD =
  'Its own channel may still hold it: then it comes once the session goes on. Tried again, it could come twice.'

/** What the operator reads about a failed trigger; the pane of its runtime is where to look. */
export function failureOf(
  trigger: TriggerIn<'failed'>,
  runtime: Runtime | undefined,
  dispatch: Pick<Dispatch, 'name'> | undefined,
): Escalation {
  const { agentId, code, text, reason } = trigger
  return {
    about: itemOf(trigger),
    text: [
      `${agentId} did not get its prompt (${displayLine(reason)}).`,
      `${code}: ${troubleOf(trigger)}`,
      `It says: ${truncate(displayLine(redacted(wordsIn(text))), 300)}`,
      ...(dispatch && reason === DISPATCH_REASON ? clearing(dispatch) : retrying(trigger)),
    ].join('\n'),
    cwd: runtime?.cwd,
    pane: runtime && paneIn(runtime),
  }
}

/** A dispatch fails together with its trigger: nobody would follow what happens to a retry. */
function clearing({ name }: Pick<Dispatch, 'name'>): string[] {
  return [
    `What it shows: trailboss dispatch logs ${name}. To clear it away: trailboss dispatch stop ${name}`,
  ]
}

function retrying({ id, agentId, code }: TriggerIn<'failed'>): string[] {
  const isDown = code === 'TARGET_NOT_FOUND'
  return [
    ...(isDown ? [`Start it first: trailboss runtime start ${agentId}`] : []),
    `Try again: trailboss trigger retry ${id}`,
  ]
}
