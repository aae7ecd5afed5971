import { Argument, type Command } from 'commander'
import type { DrainView } from '../../../contract/responses.ts'
import { createContext } from '../../context/context.ts'
import { printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { forOperator, type OperatorOptions, operatorView, tell } from '../queue/operator.ts'

export function addTo(program: Command): void {
  addCommand(program, 'drain', 'go to the next by itself after your answer: on or off', drain)
    .addArgument(
      new Argument('[mode]', 'on, off; without it, the other one').choices(['on', 'off']),
    )
    .option('--client <name>', 'the tmux client that it is for (default: the one you look at)')
    .option('--pane <id>', 'the pane you are in')
    .addHelpText(
      'after',
      '\nFor one tmux client, from its next Next on. Any key after your answer, and leaving the pane by hand, keep you where you are.',
    )
}

async function drain(
  mode: 'on' | 'off' | undefined,
  options: OperatorOptions & { json?: boolean },
): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    await context.client.health()
    const { name: client, socket } = await operatorView(context, options, 'Nothing was changed.')
    const request = { socket, client, ...(mode && { drain: mode === 'on' }) }
    const view = await context.client.post<DrainView>('/drain', request)
    if (options.json) printJson(view)
    else await tell(context, options, view.draining ? ON : OFF)
  })
}

const ON = 'drain is on: after your answer you go to the next one, from your next Next on'
const OFF = 'drain is off: you stay where you are until you press Next'
