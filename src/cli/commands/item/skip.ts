import { type Command, InvalidArgumentError, Option } from 'commander'
import type { SkipRequest } from '../../../client/daemon-client.ts'
import type { SkipView } from '../../../contract/responses.ts'
import { type Context, createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameInQueue } from '../queue/item-name.ts'
import { forOperator, type OperatorOptions, tell } from '../queue/operator.ts'
import { namedTarget } from '../queue/watch-target.ts'
import { goOn, onChosenItem } from './chosen-item.ts'

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
    .option(
      '--session <target>',
      "skip this one: a session, a pane, an agent or a name that the list shows ('api fix-login')",
    )
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
    const name = await nameInQueue(context, skipped)
    if (!options.json && !options.client)
      print(`${options.undo ? 'back in line' : 'skipped'}: ${name}`)
    const done = options.undo ? `back in line: ${name}` : `skipped ${name}`
    if (options.jump) await goOn(context, options, done)
  })
}

async function moveToTail(context: Context, options: SkipOptions): Promise<SkipView> {
  const { client, socket } = context
  const { session, cooldownMs, undo, head } = options
  const how: SkipRequest = {
    ...(cooldownMs !== undefined && { cooldownMs }),
    ...(undo && { undo }),
  }
  if (session !== undefined) return client.skip({ ...how, target: namedTarget(session), socket })
  const isInPane = options.pane !== undefined || process.env['TMUX_PANE'] !== undefined
  // A key passes the client, and its operator need not be in a pane.
  const isAsked = undo || head || (!isInPane && options.client !== undefined)
  if (isAsked) return client.skip(how)
  const otherwise = 'trailboss skip --head skips the oldest'
  return onChosenItem(context, options, { otherwise }, (chosen) =>
    client.skip({ ...how, ...chosen }),
  )
}

function milliseconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Must be a whole number of milliseconds.')
}
