import type { Command } from 'commander'
import { DaemonClient } from '../../../client/daemon-client.ts'
import { resolvePaths } from '../../../config/paths.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { jump } from '../../../tmux/navigate.ts'
import { capturePane } from '../../../tmux/panes.ts'
import { tmuxSocketFor } from '../../../tmux/socket.ts'
import { runPopup } from '../../../tui/popup.ts'
import { operatorName } from '../../context/operator-name.ts'
import { running } from '../../context/run-command.ts'
import { forOperator, type OperatorOptions, operatorClient, tell } from './operator.ts'

export function addTo(program: Command): void {
  program
    .command('popup')
    .description('pick from the queue')
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
    .action(running(popup))
}

export async function popup(options: OperatorOptions): Promise<void> {
  const context = { socket: tmuxSocketFor(process.env['TRAILBOSS_TMUX_SOCKET'], process.env) }
  using client = new DaemonClient(resolvePaths().socket)
  const result = await runPopup({
    client,
    capture: (pane) => capturePane(pane.socket, pane.id),
    by: operatorName(),
    ...(options.client && { tmuxClient: options.client }),
    edit: async (draft) =>
      (await import('../../context/editor.ts')).editedText('reply.md', draft, 'Nothing was sent.'),
  })
  if (result.isUnsure) await tell(context, options, UNSURE)
  if (result.kind !== 'jump') return
  const { item } = result
  await forOperator(context, options, async () => {
    // Loaded when it is needed: the popup must open at once.
    const open = async () => (await import('./next-item.ts')).openedFor(item, context, options)
    const pane = item.pane ?? (await open())
    if (pane)
      await jump(await operatorClient(context, options), pane, options.client ? 'popup' : 'hand')
  })
}

const UNSURE = 'the daemon does not answer: look whether it did what you pressed last'

/** Without commander, which takes too long to load: the popup must open at once. */
export function popupOptions(args: string[]): OperatorOptions {
  const options: OperatorOptions = {}
  for (let index = 0; index < args.length; index += 2) {
    const [name, value] = [args[index], args[index + 1]]
    if ((name !== '--client' && name !== '--pane') || value === undefined) {
      throw new TrailBossError('BAD_USAGE', `popup does not know "${name}".`, {
        hint: 'See: trailboss popup --help',
      })
    }
    options[name === '--client' ? 'client' : 'pane'] = value
  }
  return options
}
