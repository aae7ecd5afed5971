import { displayLine } from '../../core/text.ts'
import { jump } from '../../tmux/navigate.ts'
import { createContext } from '../context.ts'
import { forOperator, type OperatorOptions, operatorClient, tell } from '../operator.ts'
import { print, printJson } from '../output.ts'

export type SkipOptions = OperatorOptions & {
  json?: boolean
  jump?: boolean
  undo?: boolean
  session?: string
  cooldownMs?: number
}

export async function skip(options: SkipOptions): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const pane = options.pane ?? process.env['TMUX_PANE']
    const { skipped, head } = await context.client.skip({
      ...(options.session !== undefined && { session: options.session }),
      ...(options.cooldownMs !== undefined && { cooldownMs: options.cooldownMs }),
      ...(options.undo && { undo: true }),
      ...(pane && { pane: { socket: context.socket, id: pane } }),
    })
    if (options.json) printJson({ skipped, head })
    if (!skipped) {
      const nothing = options.undo ? 'no skip to take back' : 'nothing to skip'
      if (!options.json) await tell(context, options, nothing)
      return
    }
    const name = displayLine(skipped.project ?? skipped.session)
    if (!options.json && !options.client)
      print(`${options.undo ? 'back in line' : 'skipped'}: ${name}`)
    if (!options.jump) return
    if (head?.pane) await jump(await operatorClient(context, options), head.pane)
    else await tell(context, options, `skipped ${name}; nothing else is ready`)
  })
}
