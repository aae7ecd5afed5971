import type { QueueItem } from '../../../contract/responses.ts'
import { itemNames } from '../../../core/identity/item-names.ts'
import type { Context } from '../../context/context.ts'

/** The item's name as the popup has it: with as much in it as tells it apart from all others. */
export async function nameInQueue(
  { client }: Pick<Context, 'client'>,
  item: QueueItem,
): Promise<string> {
  const { items } = await client.queue({ dismissed: true })
  const isIt = ({ harness, session }: QueueItem) =>
    harness === item.harness && session === item.session
  const all = [item, ...items.filter((one) => !isIt(one))]
  return itemNames(all)[0] ?? ''
}
