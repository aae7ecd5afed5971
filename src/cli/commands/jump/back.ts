import type { Command } from 'commander'
import { TrailBossError } from '../../../core/errors.ts'
import { jump, type OperatorClient } from '../../../tmux/navigate.ts'
import { type BackPlace, backPlaceOf } from '../../../tmux/place.ts'
import { createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { forOperator, type OperatorOptions, operatorView, tell } from '../queue/operator.ts'

export function addTo(program: Command): void {
  addCommand(program, 'back', 'go back to where you were before the last jump', back)
    .option('--client <name>', 'the tmux client to take there (default: the one you look at)')
    .option('--pane <id>', 'the pane you are in')
}

async function back(options: OperatorOptions & { json?: boolean }): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const client = await operatorView(context, options, 'You stay where you are.')
    const place = await backPlaceOf(client)
    if (!place) {
      if (options.json) printJson({ back: null })
      await tell(context, options, 'nowhere to go back to: you have not jumped yet')
      return
    }
    await goTo(client, place)
    const { socket, id } = place
    if (options.json) printJson({ back: { socket, id } })
    else if (!options.client) print(id)
  })
}

async function goTo(client: OperatorClient, place: BackPlace): Promise<void> {
  const { within, ...pane } = place
  try {
    await jump(client, place)
  } catch (error) {
    if (!isGone(error)) throw error
    // It may have been moved to another window.
    if (within) return goTo(client, pane)
    throw new TrailBossError('PANE_GONE', 'The pane that you were in is closed.', {
      hint: 'You stay where you are.',
      cause: error,
    })
  }
}

function isGone(error: unknown): boolean {
  return error instanceof TrailBossError && error.code === 'PANE_GONE'
}
