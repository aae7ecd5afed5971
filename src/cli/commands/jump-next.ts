import { createContext } from '../context.ts'
import { goToNextItem } from '../next-item.ts'
import { forOperator, type OperatorOptions, tell } from '../operator.ts'
import { print, printJson } from '../output.ts'

export async function jumpNext(options: OperatorOptions & { json?: boolean }): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    await context.client.knowServer(context.socket)
    const next = await goToNextItem(context, options)
    if (next.kind === 'reached') {
      if (options.json) printJson({ jumped: next.item })
      else if (!options.client && next.item.pane) print(next.item.pane.id)
      else if (!next.isNew)
        await tell(context, options, 'this is the oldest one: answer or skip it')
      return
    }
    if (options.json) printJson({ jumped: null })
    await tell(context, options, nothingToJumpTo(next.ready.length, next.cooling))
  })
}

function nothingToJumpTo(ready: number, cooling: number): string {
  if (ready > 0) return `${ready} stuck, but in no pane we know: see trailboss list`
  return cooling > 0 ? `nothing is ready, ${cooling} cooling down` : 'nothing is stuck'
}
