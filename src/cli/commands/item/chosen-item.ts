import type { ItemTarget } from '../../../client/daemon-client.ts'
import { TrailBossError } from '../../../core/errors.ts'
import type { PaneRef } from '../../../core/pane.ts'
import { paneInView } from '../../../tmux/navigate.ts'
import { viewIn, viewTag } from '../../../tmux/view-window.ts'
import type { Context } from '../../context/context.ts'
import { print } from '../../context/output.ts'
import { nameInQueue } from '../queue/item-name.ts'
import { goToNextItem, type NextItem, unopenedText } from '../queue/next-item.ts'
import { type OperatorOptions, tell } from '../queue/operator.ts'
import { namedTarget } from '../queue/watch-target.ts'

/** Throws `NOT_FOUND` if that item is not in the queue. */
type Act<View> = (chosen: ItemTarget) => Promise<View>

/** Acts on the named item, else on the one in the operator's pane. `otherwise`: what to do if there is none. */
export async function onChosenItem<View>(
  context: Context,
  options: OperatorOptions,
  chosen: { target?: string | undefined; otherwise: string },
  act: Act<View>,
): Promise<View> {
  const { socket } = context
  const { target, otherwise } = chosen
  if (target !== undefined) return act({ target: namedTarget(target), socket })
  const id = options.pane ?? process.env['TMUX_PANE']
  const pane = id === undefined ? undefined : { socket, id }
  const done =
    pane &&
    ((await ifListed(act, { pane })) ??
      (await onShown(context, pane, act)) ??
      (await onNested(context, pane, act)))
  if (done !== undefined) return done
  await context.client.health()
  const where = pane ? 'This pane is not waiting.' : 'You are in no tmux pane.'
  throw new TrailBossError('NOT_FOUND', where, {
    hint: options.client
      ? 'The popup shows what is waiting.'
      : `trailboss list shows what is waiting; ${otherwise}.`,
  })
}

export type ActOptions = OperatorOptions & { json?: boolean; jump?: boolean; undo?: boolean }

/** Says what was done, and goes to the next item if that is wanted. */
export async function report(context: Context, options: ActOptions, done: string): Promise<void> {
  if (!options.json && !options.client) print(done)
  if (options.jump) await goOn(context, options, done)
  else if (options.client) await tell(context, options, done)
}

/** Goes to the next item, and says so if there is none. */
export async function goOn(
  context: Context,
  options: OperatorOptions,
  done: string,
): Promise<void> {
  const next = await nextAfter(context, options, done)
  if (next.kind === 'reached') return
  const [first] = next.ready
  const [unopened] = next.unopened
  const rest = unopened
    ? unopenedText(unopened)
    : first
      ? `next is ${await nameInQueue(context, first)}, which has no pane: see the popup`
      : 'nothing else is ready'
  await tell(context, options, `${done}; ${rest}`)
}

/** An error on the way must not hide what was done before. */
async function nextAfter(
  context: Context,
  options: OperatorOptions,
  done: string,
): Promise<NextItem> {
  try {
    return await goToNextItem(context, options)
  } catch (error) {
    if (!(error instanceof TrailBossError)) throw error
    const { code, message, hint } = error
    throw new TrailBossError(code, `${done}, but then: ${message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    })
  }
}

async function ifListed<View>(act: Act<View>, chosen: ItemTarget): Promise<View | undefined> {
  try {
    return await act(chosen)
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** The pane may have been opened for a session in the background, and not show it yet, or not be able to. */
async function onShown<View>(
  { client }: Context,
  pane: PaneRef,
  act: Act<View>,
): Promise<View | undefined> {
  const tag = await viewIn(pane)
  const { items } = tag === undefined ? { items: [] } : await client.queue({ dismissed: true })
  const shown = items.find(({ harness, session }) => viewTag(harness, session) === tag)
  return shown && act({ session: shown.session, harness: shown.harness })
}

/** The pane may show another server, and in there a session that is stuck. */
async function onNested<View>(
  { client }: Context,
  pane: PaneRef,
  act: Act<View>,
): Promise<View | undefined> {
  const { items } = await client.queue({ dismissed: true })
  const servers = new Set(items.flatMap((item) => item.pane?.socket ?? []))
  servers.delete(pane.socket)
  if (servers.size === 0) return undefined
  return ifListed(act, { pane: await paneInView(pane, [...servers]) })
}
