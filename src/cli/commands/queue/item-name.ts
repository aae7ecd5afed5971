import type { QueueItem } from '../../../contract/responses.ts'
import { itemNames } from '../../../core/identity/item-names.ts'
import type { Context } from '../../context/context.ts'

/** The item's name as the popup has it: as far as it takes to tell it apart, as long as the daemon answers. */
export async function nameInQueue(
  { client }: Pick<Context, 'client'>,
  item: QueueItem,
): Promise<string> {
  const nobody = { items: [] as QueueItem[] }
  const { items } = await client.queue({ dismissed: true }).catch(() => nobody)
  const isIt = ({ harness, session }: QueueItem) =>
    harness === item.harness && session === item.session
  const all = [item, ...items.filter((one) => !isIt(one))]
  return itemNames(all)[0] ?? ''
}
