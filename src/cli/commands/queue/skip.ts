import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DaemonClient, SkipTarget } from '../../../client/daemon-client.ts'
import type { SkipView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import type { PaneRef } from '../../../core/pane.ts'
import { paneInView } from '../../../tmux/navigate.ts'
import { viewIn, viewTag } from '../../../tmux/view-window.ts'
import { type Context, createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { goToNextItem, nameOf, unopenedText } from './next-item.ts'
import { forOperator, type OperatorOptions, tell } from './operator.ts'

type SkipOptions = OperatorOptions & {
  json?: boolean
  jump?: boolean
  undo?: boolean
  session?: string
  head?: boolean
  cooldownMs?: number
}

export function addTo(program: Command): void {
  addCommand(program, 'skip', "move this pane's session to the tail", skip)
    .option('--jump', 'then go to the new head')
    .option('--session <id>', 'skip this session')
    .addOption(
      new Option('--head', 'skip the one that Next would go to, wherever you are').conflicts([
        'session',
        'undo',
      ]),
    )
    .option('--undo', 'undo the last skip')
    .option('--cooldown-ms <ms>', 'how long it stays at the tail', milliseconds)
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
}

async function skip(options: SkipOptions): Promise<void> {
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

type How = Pick<SkipTarget, 'cooldownMs' | 'undo'>

async function moveToTail({ client, socket }: Context, options: SkipOptions): Promise<SkipView> {
  const { session, cooldownMs, undo, head } = options
  const id = options.pane ?? process.env['TMUX_PANE']
  const how: How = { ...(cooldownMs !== undefined && { cooldownMs }), ...(undo && { undo }) }
  if (session !== undefined) return client.skip({ ...how, session })
  // A key passes the client, and its operator need not be in a pane.
  const isAsked = undo || head || (id === undefined && options.client !== undefined)
  if (isAsked) return client.skip(how)
  const pane = id === undefined ? undefined : { socket, id }
  const done =
    pane &&
    ((await skipIn(client, pane, how)) ??
      (await skipShown(client, pane, how)) ??
      (await skipInside(client, pane, how)))
  if (done) return done
  const where = pane ? 'This pane is not waiting.' : 'You are in no tmux pane.'
  throw new TrailBossError('NOT_FOUND', where, {
    hint: options.client
      ? 'The popup shows what is waiting.'
      : 'trailboss list shows what is waiting; trailboss skip --head skips the oldest.',
  })
}

/** Undefined when nothing in the pane is stuck. */
async function skipIn(
  client: DaemonClient,
  pane: PaneRef,
  how: How,
): Promise<SkipView | undefined> {
  try {
    return await client.skip({ ...how, pane })
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** The pane may have been opened for a session in the background, and not show it yet, or not be able to. */
async function skipShown(
  client: DaemonClient,
  pane: PaneRef,
  how: How,
): Promise<SkipView | undefined> {
  const tag = await viewIn(pane)
  const { items } = tag === undefined ? { items: [] } : await client.queue()
  const shown = items.find(({ harness, session }) => viewTag(harness, session) === tag)
  return shown && client.skip({ ...how, session: shown.session })
}

/** The pane may show another server, and in there a session that is stuck. */
async function skipInside(
  client: DaemonClient,
  pane: PaneRef,
  how: How,
): Promise<SkipView | undefined> {
  const { items } = await client.queue()
  const servers = new Set(items.flatMap((item) => item.pane?.socket ?? []))
  servers.delete(pane.socket)
  if (servers.size === 0) return undefined
  return skipIn(client, await paneInView(pane, [...servers]), how)
}

async function goOn(context: Context, options: SkipOptions, skipped: string): Promise<void> {
  const next = await goToNextItem(context, options)
  if (next.kind === 'reached') return
  const [first] = next.ready
  const [unopened] = next.unopened
  const rest = unopened
    ? unopenedText(unopened)
    : first
      ? `next is ${nameOf(first)}, which has no pane: see the popup`
      : 'nothing else is ready'
  await tell(context, options, `skipped ${skipped}; ${rest}`)
}

function milliseconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Must be a whole number of milliseconds.')
}
