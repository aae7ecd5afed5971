import { type Command, Option } from 'commander'
import { WAIT_STATES, type WaitState, type WaitView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine, displaySummary } from '../../../core/text.ts'
import { createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { print, printJson } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameOf } from '../queue/next-item.ts'
import { namedTarget } from '../queue/watch-target.ts'

type WaitOptions = { for: WaitState; timeout?: number; json?: boolean }

/** One request is held for this long at most. */
const HELD_SECONDS = 25

export function addTo(program: Command): void {
  addCommand(program, 'wait [target]', 'wait until a session is stuck, works or has ended', wait)
    .addOption(
      new Option('--for <state>', 'what to wait for')
        .choices([...WAIT_STATES])
        .default('stuck', 'stuck; any-stuck without a target'),
    )
    .option('--timeout <time>', 'give up after this, such as 10m', durationArgument)
    .addHelpText('after', HELP)
}

const HELP = `
The target is a session, a pane or an agent, as \`trailboss explain\` takes it. Stuck means in the queue. If it is so \
already, it returns at once. It prints the session's name and what it asks, or with --json the item and the session.
Exit codes: 0 it is so, 7 not in time, 4 no such session or it ended, 3 no daemon is running.

  trailboss wait api/lead --for stuck --timeout 30m && notify-me`

async function wait(target: string | undefined, options: WaitOptions): Promise<void> {
  const { client, socket } = createContext()
  const state = target === undefined && options.for === 'stuck' ? 'any-stuck' : options.for
  if ((target === undefined) !== (state === 'any-stuck')) {
    const message = target === undefined ? `Name who is to be ${state}.` : NOBODY
    throw new TrailBossError('BAD_USAGE', message, { hint: 'See: trailboss wait --help' })
  }
  await client.health()
  const deadline = performance.now() + (options.timeout ?? Number.POSITIVE_INFINITY)
  while (true) {
    const left = Math.max(0, deadline - performance.now()) / 1_000
    const request = {
      for: state,
      ...(target !== undefined && { target: namedTarget(target), socket }),
    }
    const ask = () => client.waitFor(request, Math.min(HELD_SECONDS, Math.ceil(left)))
    const view = await patiently(ask, 'Nothing is lost.')
    if (view.happened) return report(view, options)
    requirePossible(view, state)
    if (performance.now() >= deadline) {
      const message = `${target ?? 'Nothing'} was not ${state.replace('any-', '')} in time.`
      throw new TrailBossError('NO_ANSWER', message, { hint: 'Give it more --timeout.' })
    }
  }
}

const NOBODY = '--for any-stuck takes no target: it is any session.'

/** One that has ended gets neither stuck nor to work, unless somebody resumes it. */
function requirePossible({ session }: WaitView, state: WaitState): void {
  if (state === 'any-stuck' || state === 'ended' || session?.state !== 'ended') return
  throw new TrailBossError('NOT_FOUND', `${session.session} has ended.`, {
    hint: `It will not be ${state} unless somebody resumes it.`,
  })
}

function report({ item, session }: WaitView, { json }: WaitOptions): void {
  if (json) printJson({ item, session })
  else if (item)
    print(`${nameOf(item)} (${item.label}): ${displaySummary(item.ask.text.slice(0, 500))}`)
  else if (session) print(`${displayLine(session.project ?? session.session)}: ${session.state}`)
  else print('ended')
}
