import type { MessageView, ThreadView } from '../../contract/supervisor.ts'
import { authorName } from '../../core/bridge/message.ts'
import type { ThreadState } from '../../core/bridge/thread.ts'
import { displayLine, displayText } from '../../core/text.ts'
import { ageText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** One row for each thread. */
export function threadTable(threads: readonly ThreadView[], reader: Reader): string {
  return table(threads, reader, [
    ['THREAD', ({ id }) => id],
    ['STATE', ({ state }) => state.kind, { tone: ({ state }) => toneOf(state) }],
    ['SPOKEN', ({ updatedAt }) => ageText(updatedAt, reader.now)],
    ['UNREAD', (thread) => String(unreadIn(thread))],
    ['WHO', ({ participants }) => participants.map(roleOf).join(' ')],
    ['TITLE', ({ title }) => title],
  ])
}

/** All that is known of one thread, with its latest posts. */
export function threadText(
  thread: ThreadView,
  messages: readonly MessageView[],
  reader: Reader,
): string {
  const { now, paint = plain } = reader
  const { state } = thread
  const standing = `${displayLine(thread.title)} is ${paint(toneOf(state), state.kind)}.`
  const why = thread.sentence === null ? [] : [displayLine(thread.sentence)]
  const fields = fieldLines(
    [
      ['thread', thread.id],
      ['opened', `${ageText(thread.createdAt, now)} ago`],
      ['spoken in', `${ageText(thread.updatedAt, now)} ago`],
      ['closed by', state.kind === 'closed' ? state.by : undefined],
      ['turns', `${thread.turnsWithoutProgress} without progress`],
      ...thread.cursors.map(({ agent, unread }): [string, string] => [
        agent,
        unread === 0 ? 'has read everything' : `has ${unread} to read`,
      ]),
    ],
    reader,
  )
  const said = messages.flatMap((message) => ['', ...messageLines(message, now, paint)])
  const advice = state.kind === 'blocked' ? ['', adviceOn(thread)] : []
  return [standing, ...why, '', ...fields, ...said, ...advice].join('\n')
}

function messageLines(message: MessageView, now: number, paint: Paint): string[] {
  const { author, to, findings, progress } = message
  const whom = to.length === 0 ? '' : ` to ${to.map(displayLine).join(', ')}`
  const head = `${displayLine(authorName(author))}${whom}, ${ageText(message.at, now)} ago`
  const body = displayText(message.text)
    .split('\n')
    .map((line) => `  ${line}`)
  return [
    paint('heading', head),
    ...body,
    ...findings.map((finding) => `  finding: ${displayLine(finding)}`),
    ...(progress === null ? [] : [`  progress: ${displayLine(progress)}`]),
  ]
}

function adviceOn({ id }: ThreadView): string {
  return `Let them go on: trailboss thread unblock ${id}\nEnd it:         trailboss thread close ${id}`
}

function toneOf({ kind }: ThreadState): Tone {
  return kind === 'blocked' ? 'bad' : kind === 'open' ? 'good' : 'quiet'
}

function unreadIn({ cursors }: ThreadView): number {
  return cursors.reduce((sum, { unread }) => sum + unread, 0)
}

/** Its workspace is that of the thread. */
function roleOf(agent: string): string {
  return agent.split('/').at(-1) ?? agent
}
