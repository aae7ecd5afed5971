import type { Command } from 'commander'
import type { SkipView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { SNOOZE_EXAMPLES, type SnoozeTime, snoozeTime } from '../../../core/snooze-time.ts'
import { returnText } from '../../../text/return-time.ts'
import { type Context, createContext } from '../../context/context.ts'
import { printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameOf } from '../queue/next-item.ts'
import { forOperator, tell } from '../queue/operator.ts'
import { namedTarget } from '../queue/watch-target.ts'
import { type ActOptions, onChosenItem, report } from './chosen-item.ts'

export function addTo(program: Command): void {
  addCommand(
    program,
    'snooze [when] [target]',
    'skip a session until a time that you choose',
    snooze,
  )
    .option('--undo', 'bring it back now: the named one, or the last')
    .option('--jump', 'then go to the new head')
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
    .addHelpText('after', HELP)
}

const HELP = `
The target is a session, a pane or an agent, as \`trailboss explain\` takes it; without one, it is the session in \
your pane. It comes back on time, or earlier if it asks something new.
Times: ${SNOOZE_EXAMPLES}. A morning begins at 9:00.`

async function snooze(
  when: string | undefined,
  target: string | undefined,
  options: ActOptions,
): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const { skipped, head } = options.undo
      ? await bringBack(context, when, target)
      : await putOff(context, options, timeOf(when), target)
    if (options.json) printJson({ snoozed: skipped, head })
    if (!skipped) {
      if (!options.json) await tell(context, options, 'nothing is snoozed')
      return
    }
    const back = skipped.readyAt === null ? 'now' : returnText(skipped.readyAt, Date.now())
    const done = options.undo ? 'back in line' : 'snoozed'
    const text = `${done} ${nameOf(skipped)}${options.undo ? '' : `, back ${back}`}`
    await report(context, options, text)
  })
}

function putOff(
  context: Context,
  options: ActOptions,
  time: SnoozeTime,
  target: string | undefined,
): Promise<SkipView> {
  return onChosenItem(context, options, { target, otherwise: 'name one of them' }, (chosen) =>
    context.client.skip({ ...time, ...chosen }),
  )
}

/** With `--undo` there is no time, so the one word is the target. */
function bringBack(
  { client, socket }: Context,
  word: string | undefined,
  target: string | undefined,
): Promise<SkipView> {
  if (target !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--undo takes no time: name only what to bring back.')
  }
  return client.skip({
    undo: true,
    ...(word !== undefined && { target: namedTarget(word), socket }),
  })
}

function timeOf(when: string | undefined): SnoozeTime {
  const time = when === undefined ? undefined : snoozeTime(when, new Date())
  if (time) return time
  const message =
    when === undefined
      ? 'Say for how long.'
      : `"${when}" is no time to come: it cannot be read, is over, or is more than 31 days away.`
  throw new TrailBossError('BAD_USAGE', message, { hint: `Such as ${SNOOZE_EXAMPLES}.` })
}
