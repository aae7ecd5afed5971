import type { EvidenceView, ExplainView, MonitoredPane } from '../../contract/responses.ts'
import type { Ask } from '../../core/session/event.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import { shellWord } from '../../core/shell-word.ts'
import { displayLine, displayText } from '../../core/text.ts'
import { ageText, spelledDuration } from '../../text/duration.ts'
import { LABEL_TONES, plain } from '../../text/paint.ts'
import { proseWidth, type Reader, shownPath } from '../../text/reader.ts'
import { returnText } from '../../text/return-time.ts'
import { table } from '../../text/table.ts'
import { wrapProse } from '../../text/wrap.ts'

const MOST_ASK_LINES = 12
const HOUR_MS = 3_600_000

/** The state, the ask, the reason, the evidence, and what is missing. */
export function explanationText(view: ExplainView, reader: Reader): string {
  const paragraph = (text: string, before = '') =>
    wrapProse(before + displayLine(text), proseWidth(reader)).join('\n')
  const parts = [
    standingText(view, reader),
    askBlock(view, reader),
    paragraph(view.why),
    view.because.length > 0 ? evidenceTable(view, reader) : undefined,
    view.missing.length > 0
      ? [
          (reader.paint ?? plain)('heading', 'Missing:'),
          ...view.missing.map((sentence) => paragraph(sentence, '  - ')),
        ].join('\n')
      : undefined,
    // The monitor does not matter if the harness reports its own state.
    view.monitor?.attention === 'fresh' ? paragraph(monitorText(view.monitor, reader)) : undefined,
    quietly(paragraph(identity(view)), reader),
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

/** The word for its state has the colour of its label. */
function standingText(view: ExplainView, reader: Reader): string {
  const lines = wrapProse(displayLine(standing(view, reader)), proseWidth(reader)).join('\n')
  const { paint = plain } = reader
  const tone = view.label ? LABEL_TONES[view.label] : view.state === 'working' ? 'good' : 'heading'
  return lines.replace(/(?<=[,\s]is\s)stuck(?=:)|(?<=[,\s]has\sbeen\s)working/, (word) =>
    paint(tone, word),
  )
}

function quietly(text: string, { paint = plain }: Reader): string {
  return text.replace(/^.+$/gm, (line) => paint('quiet', line))
}

function standing(view: ExplainView, reader: Reader): string {
  const sentence = `${subject(view, reader)} ${predicate(view, reader)}.${putAside(view, reader)}`
  return hasAsk(view) ? sentence.replace(/\.$/, ':') : sentence
}

/** A suspended process has no ask: the sentence says it all. */
function hasAsk(view: ExplainView): view is ExplainView & { ask: Ask } {
  return view.ask !== null && !isByProcess(view)
}

function isByProcess({ because }: ExplainView): boolean {
  return because.some(({ decided, source }) => decided && source === 'process')
}

function subject(view: ExplainView, reader: Reader): string {
  const { title, cwd, branch, pane, window, job, state } = view
  const on = branch ? ` on ${branch}` : ''
  const where = cwd === null ? '' : ` in ${shownPath(cwd, reader)}${on}`
  if (state === 'ended' && !pane) return `${title}${where}`
  const none = job === undefined ? 'without a pane' : `in the background as ${job}`
  const shown = pane && `pane ${pane.id}${window ? ` of ${window}` : ''}`
  return `${title}${where}, ${shown ?? none},`
}

function predicate(view: ExplainView, { now }: Reader): string {
  const long = spelledDuration(now - (view.since ?? now))
  switch (view.state) {
    case 'stuck':
      if (isByProcess(view)) return `is stuck: it was suspended ${long} ago; fg brings it back`
      if (!view.headless && !view.listed && view.dismissedAt === undefined)
        return `finished ${long} ago, and waits for its next prompt`
      if (view.headless) return `stopped ${long} ago, with nobody in front of it`
      return `is stuck: ${wait(view, now, long)}`
    case 'working':
      return `has been working for ${long}`
    case 'ended':
      return `ended ${long} ago`
    case 'unknown':
      if (view.since === null) return 'is known by its name alone'
      return isByProcess(view)
        ? `could not be looked at for ${long}: its state is unknown`
        : view.resumed
          ? `has been at its prompt for ${long}: it was resumed, and nothing was asked of it since`
          : `has been at its first prompt for ${long}: nothing was asked of it yet`
    default:
      return view.state satisfies never
  }
}

/** One wait may bring several asks: the wait keeps its place, and each ask has its own age. */
function wait(
  { reason, label, since, listedSince }: ExplainView,
  now: number,
  long: string,
): string {
  const isPrompt = reason === 'permission'
  const queued = spelledDuration(now - (listedSince ?? now))
  if (listedSince === null || since === null || since - listedSince < 1_000 || queued === long) {
    if (!isPrompt) return `it ${STOPPED[label ?? 'waits']} ${long} ago and waits for you`
    const asks = label === 'asks' ? 'it asks you something, and' : 'it'
    return `${asks} has waited for your answer for ${long}`
  }
  const latest = isPrompt ? `has waited for this answer for ${long}` : `last stopped ${long} ago`
  return `it has been in the queue for ${queued}, and ${latest}`
}

const STOPPED: Record<WaitLabel, string> = {
  asks: 'asked you something',
  permission: 'stopped',
  finished: 'finished its turn',
  error: 'stopped with an error',
  interrupted: 'was interrupted',
  stalled: 'stalled',
  waits: 'stopped',
}

/** What the operator did with it. */
function putAside({ readyAt, dismissedAt, session }: ExplainView, { now }: Reader): string {
  if (dismissedAt !== undefined) {
    const ago = spelledDuration(now - dismissedAt)
    return ` You dismissed it ${ago} ago; trailboss dismiss --undo ${shellWord(displayLine(session))} brings it back.`
  }
  if (readyAt === null) return ''
  const ms = readyAt - now
  const back = ms < HOUR_MS ? `in ${spelledDuration(ms)}` : returnText(readyAt, now)
  return ` It was skipped, and is back in the queue ${back}.`
}

/** Cleaned line by line and indented: nothing in it can pass for a line of ours. */
function askBlock(view: ExplainView, reader: Reader): string | undefined {
  if (!hasAsk(view)) return undefined
  const width = proseWidth(reader) - 4
  const lines = displayText(view.ask.text)
    .trim()
    .split('\n')
    .flatMap((line) => wrapProse(line.trimEnd(), width))
  const more = lines.length - MOST_ASK_LINES
  const shown = more > 1 ? lines.slice(0, MOST_ASK_LINES) : lines
  const rest = more > 1 ? [`… ${more} more lines`] : []
  return [...shown, ...rest].map((line) => `    ${line}`.trimEnd()).join('\n')
}

function evidenceTable({ because }: ExplainView, reader: Reader): string {
  const tone = ({ decided }: EvidenceView) => (decided ? undefined : 'quiet')
  return table(because, reader, [
    ['', ({ decided }) => (decided ? '→' : ' '), { tone }],
    ['SOURCE', ({ source }) => source, { tone }],
    ['CLAIM', ({ claim }) => claim, { tone }],
    ['AGE', ({ at }) => ageText(at, reader.now), { tone }],
    ['DETAIL', ({ detail }) => detail ?? '', { tone }],
  ])
}

function monitorText(seen: MonitoredPane, { now }: Reader): string {
  if (seen.lookedAt === null) return 'The monitor has not looked at its screen yet.'
  const looked = `Its screen was looked at ${spelledDuration(now - seen.lookedAt)} ago`
  const shows = seen.rule === null ? 'no rule knows it' : `it shows ${seen.rule}`
  const alike =
    seen.identical === 0 ? '' : ` It has been unchanged for ${seen.identical + 1} looks.`
  const found = seen.diagnosis ? ` ${seen.diagnosis.sentence}` : ''
  const next = ` The next look is in ${spelledDuration(Math.max(0, seen.nextLookAt - now))}.`
  return `${looked}: ${shows}.${alike}${found}${next}`
}

function identity({ session, pid, pane, project, worktree, sessionTitle }: ExplainView): string {
  const name = sessionTitle ? `"${sessionTitle}", ` : ''
  const of = worktree && project ? `worktree ${worktree} of ${project}, ` : ''
  const process = pid === null ? '' : `, process ${pid}`
  const server = pane ? `, tmux server ${pane.socket}` : ''
  return `(${name}${of}session ${session}${process}${server})`
}
