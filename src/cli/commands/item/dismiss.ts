import type { Command } from 'commander'
import type { DismissRequest } from '../../../client/daemon-client.ts'
import type { DismissView } from '../../../contract/responses.ts'
import { returnText } from '../../../text/return-time.ts'
import { type Context, createContext } from '../../context/context.ts'
import { printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameInQueue } from '../queue/item-name.ts'
import { forOperator, tell } from '../queue/operator.ts'
import { namedTarget } from '../queue/watch-target.ts'
import { type ActOptions, onChosenItem, report } from './chosen-item.ts'

type DismissOptions = ActOptions & { evenBlocked?: boolean }

export function addTo(program: Command): void {
  addCommand(
    program,
    'dismiss [target]',
    'take a session that needs nothing off the queue',
    dismiss,
  )
    .option('--even-blocked', 'also one that waits for an answer')
    .option('--undo', 'put it back in its place: the named one, or the last')
    .option('--jump', 'then go to the head')
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
    .addHelpText('after', HELP)
}

const HELP = `
The target is a session, a pane, an agent or a name that the list shows ('api fix-login'), as \`trailboss explain\` \
takes it; without one, it is the session in your pane. It returns to the queue when it gets stuck again, or asks something new. \`trailboss list --all\` shows \
what you dismissed. A permission or a question needs --even-blocked, because its session goes on waiting.`

async function dismiss(target: string | undefined, options: DismissOptions): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const { dismissed, head } = await settle(context, target, options)
    if (options.json) printJson({ dismissed, head })
    if (!dismissed) {
      if (!options.json) await tell(context, options, 'nothing is dismissed')
      return
    }
    const name = await nameInQueue(context, dismissed)
    const { readyAt } = dismissed
    const back = readyAt === null ? '' : `, back ${returnText(readyAt, Date.now())}`
    const text = options.undo ? `back in line: ${name}${back}` : `dismissed: ${name}`
    await report(context, options, text)
  })
}

function settle(
  context: Context,
  target: string | undefined,
  { evenBlocked, undo, ...options }: DismissOptions,
): Promise<DismissView> {
  const { client, socket } = context
  const how: DismissRequest = { ...(evenBlocked && { evenBlocked }), ...(undo && { undo }) }
  if (undo)
    return client.dismiss({
      ...how,
      ...(target !== undefined && { target: namedTarget(target), socket }),
    })
  return onChosenItem(context, options, { target, otherwise: 'name one of them' }, (chosen) =>
    client.dismiss({ ...how, ...chosen }),
  )
}
