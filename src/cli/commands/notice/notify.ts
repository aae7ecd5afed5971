import { type Command, InvalidArgumentError, Option } from 'commander'
import type { NoticesView, TestedView } from '../../../contract/notice.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { NOTICE_CHANNELS, type NoticeChannel } from '../../../core/notice/channel.ts'
import { type Context, createContext } from '../../context/context.ts'
import { printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { noticesText, testedText } from '../../render/notice-text.ts'
import { noteWarnings } from '../daemon/status.ts'

type NotifyOptions = { test?: NoticeChannel | true; status?: boolean; json?: boolean }

/** Longer than the slowest channel may take. */
const TEST_TIMEOUT_MS = 15_000

export function addTo(program: Command): void {
  addCommand(program, 'notify', 'show what would be announced to you now, and why', notify)
    .option('--status', 'the same')
    .addOption(
      new Option('--test [channel]', 'send one on every channel of yours, or on this one')
        .argParser(channelNamed)
        .conflicts('status'),
    )
    .addHelpText('after', HELP)
}

const HELP = `
Notices are off until you name a channel in config.json, and restart the daemon:

  "notify": { "channels": ["desktop"] }

Channels: ${NOTICE_CHANNELS.join(', ')}. Exit code 1 if a test failed.`

async function notify({ test, json }: NotifyOptions): Promise<number> {
  const context = createContext()
  const { client } = context
  if (!test) {
    const view = await client.get<NoticesView>('/v1/notices')
    await noteUnread(context)
    await printView(view, { json: json === true }, noticesText)
    return 0
  }
  const body = test === true ? {} : { channel: test }
  const options = { timeoutMs: TEST_TIMEOUT_MS }
  const tested = await client.post<TestedView>('/v1/notices/test', body, options)
  await noteUnread(context)
  if (tested.results.length === 0) {
    throw new TrailBossError('BAD_CONFIG', 'Notices are off, so there is no channel to test.', {
      hint: 'Try one: trailboss notify --test osc9. Then name it as notify.channels in config.json.',
    })
  }
  await printView(tested, { json: json === true }, testedText)
  return tested.results.every(({ result }) => result === 'sent') ? 0 : 1
}

/** Whoever has just changed the settings looks here whether they work. What was asked for matters more. */
async function noteUnread(context: Context): Promise<void> {
  const status = await context.client.status().catch(() => undefined)
  if (status) noteWarnings(status, context, 'config')
}

function channelNamed(text: string): NoticeChannel {
  const channel = NOTICE_CHANNELS.find((one) => one === text)
  if (channel) return channel
  throw new InvalidArgumentError(`One of ${NOTICE_CHANNELS.join(', ')}.`)
}
