import type { RuntimeVerb } from '../../client/supervisor-client.ts'
import type { RuntimeView } from '../../contract/supervisor.ts'
import { windowOf } from '../../core/supervisor/runtime/runtime.ts'
import type { PublicStatus } from '../../core/supervisor/trigger/public-status.ts'
import { displayLine, displaySummary } from '../../core/text.ts'
import { ageText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { LABEL_TONES, plain, type Tone } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** One row for each runtime. */
export function runtimeTable(runtimes: readonly RuntimeView[], reader: Reader): string {
  return table(runtimes, reader, [
    ['AGENT', ({ agent }) => agent],
    ['STATUS', stateWord, { tone: stateTone }],
    ['FOR', ({ statusSince }) => ageText(statusSince, reader.now)],
    ['HARNESS', ({ harness }) => harness, { from: 80 }],
    ['PANE', ({ pane }) => pane?.id ?? '-'],
    ['OPEN', ({ openTriggers }) => String(openTriggers)],
    ['NOTE', noteOn],
  ])
}

/** One runtime in detail. */
export function runtimeText(runtime: RuntimeView, reader: Reader): string {
  const { now, paint = plain } = reader
  const { agent, statusSince, failures, pane, startedAt, lastHeartbeatAt } = runtime
  const standing = `${displayLine(agent)} is ${paint(stateTone(runtime), stateWord(runtime))}, for ${ageText(statusSince, now)}.`
  const ago = (at: number | null) => (at === null ? undefined : `${ageText(at, now)} ago`)
  const fields = fieldLines(
    [
      ['harness', runtime.harness],
      ['session', runtime.session ?? undefined],
      ['pane', pane ? `${pane.id}, ${windowOf(runtime.target)}` : 'none'],
      ['process', runtime.pid === null ? undefined : String(runtime.pid)],
      ['directory', runtime.cwd],
      ['started', ago(startedAt)],
      ['heartbeat', ago(lastHeartbeatAt)],
      ['failures', failuresText(failures, now)],
      ['the last', lastFailureText(runtime)],
      ['triggers', triggersText(runtime)],
      ['hooks', runtime.hooks ? 'missing' : undefined],
    ],
    reader,
  )
  const advice = [hooksWarning(runtime), adviceOn(runtime)].filter((text) => text !== undefined)
  const paragraphs = advice.flatMap((text) => ['', text])
  return [standing, ...noteSentence(runtime), '', ...fields, ...paragraphs].join('\n')
}

/** That its hooks are missing, what that costs, and how to add them; undefined if it has them. */
export function hooksWarning({ agent, hooks }: RuntimeView): string | undefined {
  if (!hooks) return undefined
  const { missing, cost, fix } = hooks
  return `${displayLine(missing)} ${displayLine(cost)}\nAdd them with: ${displayLine(fix)}, then: trailboss runtime restart ${displayLine(agent)}`
}

/** The result of a command, in a sentence. */
export function changeText(verb: RuntimeVerb, agent: string, runtime: RuntimeView): string {
  const name = displayLine(agent)
  switch (verb) {
    case 'register':
      return `${name} is registered. Start it with: trailboss runtime start ${name}`
    case 'deregister':
      return `${name} is not registered any more.`
    case 'restart':
    case 'start':
      return startText(name, runtime)
    case 'stop':
      return statusText(name, runtime)
  }
}

/** A failed runtime starts at the next look; a stopping one, once it has stopped. */
function startText(name: string, runtime: RuntimeView): string {
  const { status } = runtime
  if (status === 'stopping') return `${name} is stopping, and starts again then.`
  const isDown = status === 'failed' || status === 'offline'
  return isDown ? `${name} is started within a few seconds.` : statusText(name, runtime)
}

function statusText(name: string, { status, pane, target }: RuntimeView): string {
  const where = pane ? `, in pane ${pane.id} (${displayLine(windowOf(target))})` : ''
  return `${name} is ${statusWord(status)}${where}.`
}

function statusWord(status: PublicStatus): string {
  return status.replaceAll('_', ' ')
}

/** What keeps a running agent from its work says more than that it is ready. */
function stateWord({ status, waits }: RuntimeView): string {
  return status === 'ready' && waits ? waits.label : statusWord(status)
}

function stateTone({ status, waits }: RuntimeView): Tone {
  return status === 'ready' && waits ? LABEL_TONES[waits.label] : toneOf(status)
}

function toneOf(status: PublicStatus): Tone {
  if (status === 'ready') return 'good'
  if (status === 'failed' || status === 'offline') return 'bad'
  return status === 'stopped' ? 'quiet' : 'waiting'
}

function triggersText({ openTriggers, lastTriggerId }: RuntimeView): string {
  const open = openTriggers === 0 ? 'none under way' : `${openTriggers} under way`
  return lastTriggerId === null ? open : `${open}, the last was ${lastTriggerId}`
}

function failuresText(failures: readonly number[], now: number): string | undefined {
  const last = failures.at(-1)
  if (last === undefined) return undefined
  return `${failures.length} lately, ${failures.length > 1 ? 'the last ' : ''}${ageText(last, now)} ago`
}

function lastFailureText({ lastFailure }: RuntimeView): string | undefined {
  return lastFailure ? `${lastFailure.code}: ${displayLine(lastFailure.why)}` : undefined
}

function noteOn(runtime: RuntimeView): string {
  const { operatorBusy, failures, status, wantsRunning, removed, waits, hooks } = runtime
  const isDown = status === 'failed' || status === 'offline'
  if (status === 'failed' && !wantsRunning) return 'given up'
  const notes = [
    operatorBusy && 'you type there',
    removed && 'no longer in config.json',
    isDown && 'is tried again',
    hooks && status !== 'stopped' && 'no hooks',
    status !== 'stopped' &&
      failures.length > 0 &&
      `${failures.length} ${failures.length === 1 ? 'failure' : 'failures'} lately`,
    status === 'ready' && waits && displaySummary(waits.ask),
  ]
  return notes.filter(Boolean).join(', ')
}

function noteSentence({ operatorBusy, waits }: RuntimeView): string[] {
  return [
    ...(operatorBusy ? ['You type there: triggers wait until you have done.'] : []),
    ...(waits ? [`It waits for you (${waits.label}): ${displaySummary(waits.ask)}`] : []),
  ]
}

function adviceOn(runtime: RuntimeView): string | undefined {
  const { agent, status, wantsRunning, removed, pane, target } = runtime
  const name = displayLine(agent)
  if (removed)
    return `config.json no longer names it. Remove it with: trailboss runtime deregister ${name}`
  if (status === 'failed' && wantsRunning) return 'It is started again by itself.'
  if (status === 'failed') return `Start it once more with: trailboss runtime start ${name}`
  if (status === 'stopped') return `Start it with: trailboss runtime start ${name}`
  const session = target.split(':')[0] ?? target
  return pane ? `Watch it with: tmux attach -t ${displayLine(session)}` : undefined
}
