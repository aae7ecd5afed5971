import { type Command, Option } from 'commander'
import {
  type SessionView,
  WAIT_STATES,
  type WaitState,
  type WaitView,
} from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { sessionKey } from '../../../core/session/event.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { displaySummary } from '../../../core/text.ts'
import { type Context, createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { print, printJson } from '../../context/output.ts'
import { isSilence, patiently } from '../../context/patience.ts'
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
The target is a session, a pane, an agent or a name that the list shows ('api fix-login'), as \`trailboss explain\` \
takes it. It is looked up once: the wait stays with that session, whatever has its name later. Stuck means in the \
queue: a named session also while it is skipped, but not if you dismissed it; any other only when it is ready. If it \
is so already, it returns at once. It prints the session's name and what it asks, or with --json the item and the \
session. It goes on when the daemon is back within a minute.
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
  const named = target === undefined ? undefined : namedTarget(target)
  await client.health()
  const deadline = performance.now() + (options.timeout ?? Number.POSITIVE_INFINITY)
  // The first answer comes at once and says which session is meant; by then a name may be another one's, or nobody's.
  let first: SessionView | undefined
  for (let most = 0; ; most = HELD_SECONDS) {
    const secondsLeft = () => Math.max(0, (deadline - performance.now()) / 1_000)
    const about = first ? sessionKey(first.harness, first.session) : named
    const request = { for: state, ...(about !== undefined && { target: about, socket }) }
    const ask = () => client.waitFor(request, Math.min(most, secondsLeft()))
    const view = await answer(ask, { target, state, deadline, isKnown: first !== undefined })
    first ??= view.session ?? undefined
    if (view.happened) return await report(context, view, first, options)
    if (target !== undefined) requirePossible(target, view, state)
    if (performance.now() >= deadline) throw notInTime(target, state, view)
  }
}

type Asked = {
  target: string | undefined
  state: WaitState
  deadline: number
  /** An earlier answer was about this session. */
  isKnown: boolean
}

async function answer(
  ask: () => Promise<WaitView>,
  { target, state, deadline, isKnown }: Asked,
): Promise<WaitView> {
  try {
    return await patiently(ask, 'Nothing is lost.', deadline)
  } catch (error) {
    // One that ended long ago is forgotten.
    if (isKnown && error instanceof TrailBossError && error.code === 'NOT_FOUND') {
      return { happened: state === 'ended', item: null, session: null }
    }
    if (!isSilence(error) || performance.now() < deadline) throw error
    const message = `${stillNot(target, state)}, but the daemon is away, so this may be out of date.`
    throw new TrailBossError('NO_ANSWER', message, {
      hint: 'See whether the daemon runs: trailboss status. Start it with: trailboss up',
      cause: error,
    })
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
    const hint = `Bring it back with: trailboss dismiss --undo ${shellWord(target)}`
    return new TrailBossError('NO_ANSWER', message, { hint })
  }
  const message = `${stillNot(target, state)}.`
  return new TrailBossError('NO_ANSWER', message, { hint: 'Use a longer --timeout.' })
}

function stillNot(target: string | undefined, state: WaitState): string {
  return target === undefined
    ? 'No session got stuck in time'
    : `${target} ${NOT_YET[state]} within the time`
}

const NOT_YET: Record<WaitState, string> = {
  'any-stuck': 'did not get stuck',
  stuck: 'did not get stuck',
  working: 'did not start to work',
  ended: 'did not end',
}

/** One that has ended gets neither stuck nor to work, unless somebody resumes it. */
function requirePossible(target: string, { session }: WaitView, state: WaitState): void {
  if (state === 'ended' || (session !== null && session.state !== 'ended')) return
  throw new TrailBossError('NOT_FOUND', `${target} has ended.`, {
    hint: `It will not be ${state} unless somebody resumes it.`,
  })
}

/** `first` has the name that it had when the wait began: one that ended may have none any more. */
async function report(
  context: Context,
  { item, session }: WaitView,
  first: SessionView | undefined,
  { json }: WaitOptions,
): Promise<void> {
  if (json) printJson({ item, session })
  else if (item)
    print(
      `${await nameInQueue(context, item)} (${item.label}): ${displaySummary(item.ask.text.slice(0, 500))}`,
    )
  else if (first) print(`${nameOf(first)}: ${session?.state ?? 'ended'}`)
  else print('ended')
}
