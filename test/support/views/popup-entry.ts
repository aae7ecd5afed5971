import { DaemonClient } from '../../../src/client/daemon-client.ts'
import type { PaneRef } from '../../../src/core/pane.ts'
import { runPopup } from '../../../src/tui/popup.ts'

/** The popup alone, on the daemon socket given as an argument; prints at the end how it was left. */
const [, , socketPath = ''] = process.argv

// Lets a test see what an uncaught error leaves behind.
process.on('SIGUSR2', () => {
  throw new Error('nobody caught this')
})

using client = new DaemonClient(socketPath)
const result = await runPopup({ client, capture })
const left = result.kind === 'jump' ? `jump ${result.item.session}` : 'closed'
process.stdout.write(`popup left: ${left}\n`)

// Loaded at the first look, which is after the first frame.
async function capture(pane: PaneRef): Promise<string | undefined> {
  const { capturePane } = await import('../../../src/tmux/panes.ts')
  return capturePane(pane.socket, pane.id)
}
