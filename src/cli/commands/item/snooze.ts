import type { Command } from 'commander'
import type { SkipView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { SNOOZE_EXAMPLES } from '../../../core/snooze-time.ts'
import { returnText } from '../../../text/return-time.ts'
import { type Context, createContext } from '../../context/context.ts'
import { printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameInQueue } from '../queue/item-name.ts'
import { forOperator, tell } from '../queue/operator.ts'
import { namedTarget } from '../queue/watch-target.ts'
import { type ActOptions, onChosenItem, report } from './chosen-item.ts'
import { type SnoozeWords, snoozeWords } from './snooze-words.ts'

export function addTo(program: Command): void {
  addCommand(program, 'snooze [words...]', 'skip a session until a time that you choose', snooze)
    .usage('[options] <when> [target]')
    .option('--undo', 'bring it back now: the named one, or the last')
    .option('--jump', 'then go to the new head')
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
    .addHelpText('after', HELP)
}

const HELP = `
The target is a session, a pane, an agent or a name that the list shows ('api fix-login'), as \`trailboss explain\` \
takes it; without one, it is the session in your pane. It comes back on time, or earlier if it asks something new.
Times: ${SNOOZE_EXAMPLES}; at most 31 days. A morning begins at 9:00.`

async function snooze(words: string[], options: ActOptions): Promise<void> {
  const context = createContext()
  await forOperator(context, options, async () => {
    const { skipped, head } = options.undo
      ? await bringBack(context, words)
      : await putOff(context, options, snoozeWords(words, new Date()))
    if (options.json) printJson({ snoozed: skipped, head })
    if (!skipped) {
      if (!options.json) await tell(context, options, 'nothing is snoozed')
      return
    }
    const back = skipped.readyAt === null ? 'now' : returnText(skipped.readyAt, Date.now())
    const name = await nameInQueue(context, skipped)
    const text = options.undo ? `back in line: ${name}` : `snoozed ${name}, back ${back}`
    await report(context, options, text)
  })
}

function putOff(
  context: Context,
  options: ActOptions,
  { time, target }: SnoozeWords,
): Promise<SkipView> {
  return onChosenItem(context, options, { target, otherwise: 'name one of them' }, (chosen) =>
    context.client.skip({ ...time, ...chosen }),
  )
}

/** With `--undo` there is no time, so the one word is the target. */
function bringBack({ client, socket }: Context, [word, ...more]: string[]): Promise<SkipView> {
  if (more.length > 0) {
    throw new TrailBossError(
      'BAD_USAGE',
      '--undo takes no time: name only what to bring back, in quotes if it has blanks.',
    )
  }
  return client.skip({
    undo: true,
    ...(word !== undefined && { target: namedTarget(word), socket }),
  })
}
