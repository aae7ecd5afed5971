import { TrailBossError } from '../../core/errors.ts'
import { sightObstacle } from '../../core/supervisor/reply/obstacle.ts'
import type { WriteResult } from '../../tmux/write/guarded-write.ts'

export function repliesOff(): TrailBossError {
  return new TrailBossError('REPLY_OFF', 'Replies are off: Trail Boss types nothing.', {
    hint: 'To turn them on, set "reply": true in config.json, then: trailboss restart',
  })
}

/** Certainly nothing was typed. */
export function refusedReply(why: string): TrailBossError {
  return new TrailBossError('REPLY_REFUSED', why, { hint: 'Nothing was typed.' })
}

/** Something was typed, or may have been. */
export function unprovedReply(why: string): TrailBossError {
  return new TrailBossError('REPLY_UNPROVED', why, {
    hint: 'Look there before you send it again. Trail Boss does not repeat it.',
  })
}

type Refusal = Extract<WriteResult, { kind: 'refused' }>['why']

/** Why tmux did not write, in a sentence. */
export function writeObstacle(why: Refusal): string {
  switch (why) {
    case 'gone':
    case 'dead':
    case 'other-pane':
      return sightObstacle({ kind: 'gone' }) ?? ''
    case 'in-mode':
      return sightObstacle({ kind: 'scrolled' }) ?? ''
    case 'input-off':
      return 'Its pane takes no input.'
    case 'synchronized':
      return 'Its pane passes its input on to others.'
    case 'changed':
      return 'Its screen changed in that moment: try again.'
    default:
      return 'tmux did not take it.'
  }
}
