import type { SkipView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import { type Context, createContext } from '../context.ts'
import { goToNextItem, nameOf } from '../next-item.ts'
import { forOperator, type OperatorOptions, tell } from '../operator.ts'
import { print, printJson } from '../output.ts'

export type SkipOptions = OperatorOptions & {
  json?: boolean
  jump?: boolean
  undo?: boolean
  session?: string
  head?: boolean
  cooldownMs?: number
}

export async function skip(options: SkipOptions): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const { skipped, head } = await moveToTail(context, options)
    if (options.json) printJson({ skipped, head })
    if (!skipped) {
      const nothing = options.undo ? 'no skip to take back' : 'nothing to skip'
      if (!options.json) await tell(context, options, nothing)
      return
    }
    const name = nameOf(skipped)
    if (!options.json && !options.client)
      print(`${options.undo ? 'back in line' : 'skipped'}: ${name}`)
    if (options.jump) await goOn(context, options, name)
  })
}

async function moveToTail(context: Context, options: SkipOptions): Promise<SkipView> {
  const { session, cooldownMs, undo, head } = options
  const pane = options.pane ?? process.env['TMUX_PANE']
  const inPane = pane !== undefined && session === undefined && !undo && !head
  try {
    return await context.client.skip({
      ...(session !== undefined && { session }),
      ...(cooldownMs !== undefined && { cooldownMs }),
      ...(undo && { undo }),
      ...(inPane && { pane: { socket: context.socket, id: pane } }),
    })
  } catch (error) {
    if (!inPane || !(error instanceof TrailBossError) || error.code !== 'NOT_FOUND') throw error
    throw new TrailBossError('NOT_FOUND', 'This pane is not waiting.', {
      hint: options.client
        ? 'The popup shows what is.'
        : 'trailboss list shows what is; trailboss skip --head skips the oldest.',
    })
  }
}

async function goOn(context: Context, options: SkipOptions, skipped: string): Promise<void> {
  const next = await goToNextItem(context, options)
  if (next.kind === 'reached') return
  const [first] = next.ready
  const rest = first
    ? `next is ${nameOf(first)}, which has no pane: see the popup`
    : 'nothing else is ready'
  await tell(context, options, `skipped ${skipped}; ${rest}`)
}
