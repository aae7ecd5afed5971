import type { QueueItem, SessionView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import type { PaneRef } from '../../../core/pane.ts'
import { displayLine } from '../../../core/text.ts'
import { quote } from '../../../tmux/conf/keys.ts'
import { jump } from '../../../tmux/navigate.ts'
import { openViewWindow, viewTag } from '../../../tmux/view-window.ts'
import type { Context } from '../../context/context.ts'
import { type OperatorOptions, operatorClient } from './operator.ts'

/** The item reached, and whether it is a new one; or what is left if there is no pane to go to. */
export type NextItem =
  | { kind: 'reached'; item: QueueItem; isNew: boolean }
  /** Ready items that have no pane, how many cool down, and which windows closed at once. */
  | { kind: 'nowhere'; ready: QueueItem[]; cooling: number; unopened: QueueItem[] }

/** Goes to a pane; resolves to false when it was in view already, and throws `PANE_GONE` when it is closed. */
type GoTo = (pane: PaneRef) => Promise<boolean>

/** Takes the operator to the oldest ready item that has a pane, or that can be opened in one. */
export async function goToNextItem(
  context: Context,
  options: OperatorOptions,
  goTo: GoTo = async (pane) => jump(await operatorClient(context, options), pane, 'next'),
): Promise<NextItem> {
  const { items } = await context.client.queue()
  const ready = items.filter((item) => item.ready)
  const closed = new Set<QueueItem>()
  const unopened: QueueItem[] = []
  for (const item of ready) {
    try {
      const pane = item.pane ?? (await openedFor(item, context, options))
      if (pane) return { kind: 'reached', item: { ...item, pane }, isNew: await goTo(pane) }
    } catch (error) {
      if (!(error instanceof TrailBossError && error.code === 'PANE_GONE')) throw error
      if (item.pane) {
        // The daemon has not noticed yet that the pane is closed.
        closed.add(item)
        await context.client.knowServer(item.pane.socket)
      } else unopened.push(item)
    }
  }
  const cooling = items.length - ready.length
  const left = ready.filter((item) => !closed.has(item))
  return { kind: 'nowhere', ready: left, cooling, unopened }
}

/** The window in which it is shown; undefined if it cannot be shown. Opens one on the operator's own request. */
export async function openedFor(
  item: QueueItem,
  context: Pick<Context, 'socket'>,
  options: OperatorOptions,
): Promise<PaneRef | undefined> {
  const { open, harness, session, cwd } = item
  if (!open) return undefined
  const tag = viewTag(harness, session)
  try {
    const client = await operatorClient(context, options)
    return await openViewWindow(client, { tag, name: nameOf(item), cwd, argv: open })
  } catch (error) {
    if (!(error instanceof TrailBossError && error.code === 'NO_CLIENT')) throw error
    throw new TrailBossError('NO_CLIENT', 'No tmux client is attached that could show it.', {
      hint: `Open it in this terminal: ${displayLine(open.map(quote).join(' '))}`,
    })
  }
}

type Named = Pick<SessionView, 'agent' | 'project' | 'branch' | 'session'>

/** What to say about a window that closed as soon as it was opened. */
export function unopenedText(item: QueueItem): string {
  return `the window for ${nameOf(item)} closed at once: nothing is left to show`
}

/** Without asking what else there is. */
export function nameOf({ agent, project, branch, session }: Named): string {
  return displayLine(agent ?? (project ? `${project} ${branch ?? ''}` : session))
}
