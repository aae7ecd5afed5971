import { jump } from '../../tmux/navigate.ts'
import { createContext } from '../context.ts'
import { forOperator, type OperatorOptions, operatorClient, tell } from '../operator.ts'
import { print, printJson } from '../output.ts'

export async function jumpNext(options: OperatorOptions & { json?: boolean }): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const { items } = await context.client.queue()
    await context.client.knowServer(context.socket)
    const ready = items.filter((item) => item.ready)
    const target = ready.find((item) => item.pane !== null)
    if (target?.pane) {
      const client = await operatorClient(context, options)
      await jump(client, target.pane)
      if (options.json) printJson({ jumped: target })
      else if (!options.client) print(target.pane.id)
      return
    }
    if (options.json) printJson({ jumped: null })
    await tell(context, options, nothingToJumpTo(ready.length, items.length))
  })
}

function nothingToJumpTo(ready: number, stuck: number): string {
  if (ready > 0) return `${ready} stuck, but in no pane we know: see trailboss list`
  return stuck > 0 ? `nothing is ready, ${stuck} cooling down` : 'nothing is stuck'
}
