import { type Command, InvalidArgumentError } from 'commander'
import type { MuteBody, MutesView } from '../../../contract/notice.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { LONGEST_MUTE_MS } from '../../../core/notice/mute.ts'
import { createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { note, print, printJson, printView, terminalReader } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { mutesText, muteText } from '../../render/notice-text.ts'
import { namedTarget } from '../queue/watch-target.ts'

export function addTo(program: Command): void {
  addCommand(
    program,
    'mute',
    'announce nothing about an agent, project or harness for a time',
    mute,
  )
    .argument('[target]', 'project, harness, agent, session, pane (%3, . for this one), or all')
    .argument('[time]', 'such as 45s, 30m, 2h or 1d; without it, until --off', muteTime)
    .option('--off', 'announce it again')
    .addHelpText(
      'after',
      '\nWithout a target, it lists what is muted. The queue lists it all as before.',
    )
}

async function mute(
  target: string | undefined,
  ms: number | undefined,
  { off, json = false }: { off?: boolean; json?: boolean },
): Promise<void> {
  const { client, socket } = createContext()
  if (target === undefined) {
    if (off) {
      throw new TrailBossError('BAD_USAGE', '--off needs a target.', {
        hint: 'See what is muted: trailboss mute',
      })
    }
    return printView(await client.get<MutesView>('/v1/mutes'), { json }, mutesText)
  }
  if (off && ms !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--off takes no time: it counts from now on.')
  }
  const body: MuteBody = {
    target: namedTarget(target),
    socket,
    ...(ms !== undefined && { ms }),
    ...(off && { off }),
  }
  const view = await client.post<MutesView>('/v1/mutes', body)
  if (json) return printJson(view)
  if (view.changed) print(muteText(view.changed, off === true, terminalReader()))
  if (off && view.mutes.length > 0) note('Other mutes are still in force: trailboss mute')
}

function muteTime(text: string): number {
  const ms = durationArgument(text)
  if (ms <= LONGEST_MUTE_MS) return ms
  throw new InvalidArgumentError('At most 3650d; without a time, it is muted until --off.')
}
