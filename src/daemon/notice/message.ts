import { showMessage } from '../../tmux/navigate.ts'
import { failed, NOBODY, SENT, type Sender } from './sender.ts'

/** A line in the status line of the operator's tmux. */
export const messageSender: Sender = async (notice, terminal) => {
  if (!terminal) return NOBODY
  const shown = await showMessage(terminal, `trailboss: ${notice.line}`)
  return shown.ok ? SENT : failed(`tmux did not show it: ${shown.stderr.trim() || shown.kind}`)
}
