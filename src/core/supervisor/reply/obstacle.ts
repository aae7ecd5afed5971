import type { PaneRef } from '../../pane.ts'
import type { Subject } from '../../session/subject.ts'
import type { WaitLabel } from '../../session/wait-label.ts'
import type { ComposerSight } from '../trigger/composer.ts'

/** What the queue knows of an item that somebody wants to reply to. */
export type ReplyItem = {
  about?: Subject | undefined
  agent?: string | undefined
  pane: PaneRef | null
  label: WaitLabel
}

/** What is seen of the place where a reply would be typed. */
export type ReplySight =
  | { kind: 'composer'; composer: ComposerSight }
  | { kind: 'typed-in' }
  | { kind: 'scrolled' }
  /** The pane is closed, dead or another one. */
  | { kind: 'gone' }
  /** Something other than this session's process takes the keys there. */
  | { kind: 'other-program' }
  /** tmux did not answer, or not in time. */
  | { kind: 'unseen' }

/** Why nobody can reply to this item, in a sentence; undefined if only a look at its screen can tell. */
export function itemObstacle({ about, agent, pane, label }: ReplyItem): string | undefined {
  if (about?.kind === 'decision') return 'It asks through Trail Boss: answer that instead.'
  if (about && about.kind !== 'session') return 'It is not a conversation: go there.'
  if (agent !== undefined) return 'Trail Boss runs it: send it a trigger instead.'
  if (pane === null) return 'It runs in no pane that could be typed into.'
  if (label === 'permission') return DIALOG
  return label === 'stalled' ? 'It stands still: go there and look.' : undefined
}

/** Why nothing may be typed there now, in a sentence; undefined only for an idle, empty composer. */
export function sightObstacle(sight: ReplySight): string | undefined {
  switch (sight.kind) {
    case 'composer':
      return composerObstacle(sight.composer)
    case 'typed-in':
      return 'Somebody is typing there.'
    case 'scrolled':
      return 'Somebody reads in its pane what scrolled away.'
    case 'gone':
      return 'Its pane is closed.'
    case 'other-program':
      return 'Its process is not in front in its pane.'
    case 'unseen':
      return 'Its screen cannot be read.'
    default:
      return sight satisfies never
  }
}

const DIALOG = 'It shows a dialog: go there and answer it.'

function composerObstacle(composer: ComposerSight): string | undefined {
  if (composer.kind === 'empty') return undefined
  if (composer.kind === 'text') return 'Its composer has a draft.'
  if (composer.why.startsWith('dialog:')) return DIALOG
  if (composer.why.startsWith('working:')) return 'It is working.'
  return `Its composer is not visible (${composer.why}).`
}
