import { type Command, Option } from 'commander'
import { WAIT_STATES, type WaitState, type WaitView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displaySummary } from '../../../core/text.ts'
import { type Context, createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { print, printJson } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { addCommand } from '../../context/run-command.ts'
import { nameInQueue } from '../queue/item-name.ts'
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
The target is a session, a pane or an agent, as \`trailboss explain\` takes it. Stuck means in the queue: a named \
session also while it is skipped, but not if you dismissed it; any other only when it is ready. If it is so already, \
it returns at once. It prints the session's name and what it asks, or with --json the item and the session.
Exit codes: 0 it is so, 7 not in time, 4 no such session or it ended, 3 no daemon is running.

  trailboss wait api/lead --for stuck --timeout 30m && notify-me`

async function wait(target: string | undefined, options: WaitOptions): Promise<void> {
  const context = createContext()
  const { client, socket } = context
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
    if (view.happened) return await report(context, view, options)
    requirePossible(view, state)
    if (performance.now() >= deadline) {
      throw notInTime(target, state, view)
    }
  }
}

const NOBODY = '--for any-stuck takes no target: it is any session.'

function notInTime(
  target: string | undefined,
  state: WaitState,
  { session }: WaitView,
): TrailBossError {
  if (target !== undefined && state === 'stuck' && session?.dismissedAt !== undefined) {
    const message = `${target} waits, but you dismissed it, so it does not count as stuck.`
    const hint = `Bring it back with: trailboss dismiss --undo ${target}`
    return new TrailBossError('NO_ANSWER', message, { hint })
  }
  const message =
    target === undefined
      ? 'No session got stuck in time.'
      : `${target} ${NOT_YET[state]} within the time.`
  return new TrailBossError('NO_ANSWER', message, { hint: 'Use a longer --timeout.' })
}

const NOT_YET: Record<WaitState, string> = {
  'any-stuck': 'did not get stuck',
  stuck: 'did not get stuck',
  working: 'did not start to work',
  ended: 'did not end',
}

/** One that has ended gets neither stuck nor to work, unless somebody resumes it. */
function requirePossible({ session }: WaitView, state: WaitState): void {
  if (state === 'any-stuck' || state === 'ended' || session?.state !== 'ended') return
  throw new TrailBossError('NOT_FOUND', `${session.session} has ended.`, {
    hint: `It will not be ${state} unless somebody resumes it.`,
  })
}

async function report(
  context: Context,
  { item, session }: WaitView,
  { json }: WaitOptions,
): Promise<void> {
  if (json) printJson({ item, session })
  else if (item)
    print(
      `${await nameInQueue(context, item)} (${item.label}): ${displaySummary(item.ask.text.slice(0, 500))}`,
    )
  else if (session) print(`${nameOf(session)}: ${session.state}`)
  else print('ended')
}
