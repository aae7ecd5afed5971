import type { Command } from 'commander'
import { TrailBossError } from '../../../core/errors.ts'
import type { PaneRef } from '../../../core/pane.ts'
import { attachTerminal } from '../../../tmux/exec.ts'
import { jump, type OperatorClient, requirePane } from '../../../tmux/navigate.ts'
import { type Context, createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { goToNextItem, type NextItem, unopenedText } from './next-item.ts'
import { forOperator, type OperatorOptions, operatorClient, tell } from './operator.ts'

export function addTo(program: Command): void {
  addCommand(program, 'jump-next', 'go to the oldest stuck session', jumpNext)
    .alias('next')
    .option('--client <name>', 'the tmux client to take there (default: the one you look at)')
    .option('--pane <id>', 'the pane you are in')
}

async function jumpNext(options: OperatorOptions & { json?: boolean }): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    await context.client.knowServer(context.socket)
    let isAttached = false
    const goTo = async (pane: PaneRef) => {
      const client =
        (await clientOrNone(context, options)) ?? (await clientOrNone({ socket: pane.socket }, {}))
      if (client) return jump(client, pane, 'next')
      await attachHere(pane, options)
      isAttached = true
      return true
    }
    const next = await goToNextItem(context, options, goTo)
    if (isAttached) return
    if (next.kind === 'reached') {
      if (options.json) printJson({ jumped: next.item })
      else if (!options.client && next.item.pane) print(next.item.pane.id)
      else if (!next.isNew)
        await tell(context, options, 'this is the oldest one: answer or skip it')
      return
    }
    if (options.json) printJson({ jumped: null })
    await tell(context, options, nothingToJumpTo(next))
  })
}

async function clientOrNone(
  context: Pick<Context, 'socket'>,
  options: OperatorOptions,
): Promise<OperatorClient | undefined> {
  try {
    return await operatorClient(context, options)
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'NO_CLIENT') return undefined
    throw error
  }
}

/** Without a client to switch, this terminal attaches to the pane, until the operator detaches. */
async function attachHere(pane: PaneRef, { json }: { json?: boolean }): Promise<void> {
  await requirePane(pane)
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !process.env['TMUX']
  if (!isTerminal || json) {
    throw new TrailBossError('NO_CLIENT', 'No tmux client is attached that could be taken there.', {
      hint: `Attach one there: tmux -S '${pane.socket}' attach -t '${pane.id}'`,
    })
  }
  await attachTerminal(pane)
}

function nothingToJumpTo(next: Extract<NextItem, { kind: 'nowhere' }>): string {
  const { cooling, unopened } = next
  const ready = next.ready.length
  if (unopened[0]) return unopenedText(unopened[0])
  if (ready > 0) return `${ready} stuck, but in no pane we know: see trailboss list`
  return cooling > 0 ? `nothing else waits (${cooling} skipped)` : 'nothing is stuck'
}
