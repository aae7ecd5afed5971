import type { QueueItem } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import type { PaneRef } from '../../../core/pane.ts'
import { displayLine } from '../../../core/text.ts'
import { jump } from '../../../tmux/navigate.ts'
import type { Context } from '../../context/context.ts'
import { type OperatorOptions, operatorClient } from './operator.ts'

/** The item reached, and whether it is a new one; or what is left if there is no pane to go to. */
export type NextItem =
  | { kind: 'reached'; item: QueueItem; isNew: boolean }
  /** Ready items that have no pane, and how many cool down. */
  | { kind: 'nowhere'; ready: QueueItem[]; cooling: number }

/** Goes to a pane; resolves to false when it was in view already, and throws `PANE_GONE` when it is closed. */
type GoTo = (pane: PaneRef) => Promise<boolean>

/** Takes the operator to the oldest ready item that has a pane. */
export async function goToNextItem(
  context: Context,
  options: OperatorOptions,
  goTo: GoTo = async (pane) => jump(await operatorClient(context, options), pane),
): Promise<NextItem> {
  const { items } = await context.client.queue()
  const ready = items.filter((item) => item.ready)
  const closed = new Set<QueueItem>()
  for (const item of ready) {
    if (!item.pane) continue
    try {
      return { kind: 'reached', item, isNew: await goTo(item.pane) }
    } catch (error) {
      if (!(error instanceof TrailBossError && error.code === 'PANE_GONE')) throw error
      // The daemon has not noticed yet that the pane is closed.
      closed.add(item)
      await context.client.knowServer(item.pane.socket)
    }
  }
  const cooling = items.length - ready.length
  return { kind: 'nowhere', ready: ready.filter((item) => !closed.has(item)), cooling }
}

export function nameOf({ project, session }: QueueItem): string {
  return displayLine(project ?? session)
}
