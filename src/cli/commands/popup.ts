import { parseArgs } from 'node:util'
import { DaemonClient } from '../../client/daemon-client.ts'
import { resolvePaths } from '../../config/paths.ts'
import { jump } from '../../tmux/navigate.ts'
import { capturePane } from '../../tmux/panes.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { runPopup } from '../../tui/popup.ts'
import { forOperator, operatorClient } from '../operator.ts'

/** Parses its own few flags: the popup loads nothing that it does not show. */
export async function popup(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { client: { type: 'string' }, pane: { type: 'string' } },
  })
  const options = {
    ...(values.client && { client: values.client }),
    ...(values.pane && { pane: values.pane }),
  }
  const context = { socket: tmuxSocketFor(process.env['TRAILBOSS_TMUX_SOCKET'], process.env) }
  using client = new DaemonClient(resolvePaths().socket)
  const result = await runPopup({
    client,
    capture: (pane) => capturePane(pane.socket, pane.id),
  })
  const pane = result.kind === 'jump' ? result.item.pane : null
  if (!pane) return
  await forOperator(context, options, async () => {
    await jump(await operatorClient(context, options), pane)
  })
}
