import type { Command } from 'commander'
import type { DaemonClient } from '../../../client/daemon-client.ts'
import { REPLY_TIMEOUT_MS } from '../../../contract/limits.ts'
import type { ReplyView } from '../../../contract/supervisor.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { deliveredText } from '../../../text/delivered.ts'
import { createContext } from '../../context/context.ts'
import { operatorName } from '../../context/operator-name.ts'
import { printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { namedTarget } from '../queue/watch-target.ts'
import { boundedFile, boundedStdin } from './text-input.ts'

export function addTo(program: Command): void {
  const usage = 'reply <to> [text...]'
  addCommand(program, usage, 'type into a waiting session, and confirm it arrived', reply)
    .option('--file <file>', 'the text, from a file (- for stdin)')
    .addHelpText('after', HELP)
}

const HELP = `
It goes to the session with this id, beginning of an id (4 or more characters), pane (%3), agent or name that the \
list shows ('api fix-login').
Without a text and without --file, the text comes from stdin.
It is off until you set "reply": true in config.json.

It is typed once, into an idle, empty composer in which nobody types. It begins with a \
mark such as [tb:ok3f9x2m7q], by which its arrival is confirmed.
Exit codes: 0 delivered, 1 refused (nothing was typed), 8 typed but not confirmed (look \
there before you send it again), 5 replies are off, 4 no such session, 3 no daemon is \
running, 2 the text is empty or too long.`

async function reply(
  target: string,
  words: string[],
  options: { file?: string; json?: boolean },
): Promise<void> {
  const text = await textOf(words, options.file)
  const { client, socket } = createContext()
  const { harness, session } = await client.explain(namedTarget(target), socket)
  const body = { harness, session, text, by: operatorName() }
  const view = await sent(client, body)
  await printView(view, options, deliveredText)
}

/** Whoever loses the daemon after sending does not know whether it was typed. */
async function sent(client: DaemonClient, body: object): Promise<ReplyView> {
  try {
    return await client.post<ReplyView>('/reply', body, { timeoutMs: REPLY_TIMEOUT_MS })
  } catch (error) {
    if (!(error instanceof TrailBossError) || !LOST.has(error.code) || isUnsent(error)) throw error
    throw new TrailBossError(
      'REPLY_UNPROVED',
      'The daemon is gone, and did not say whether it was typed.',
      {
        hint: 'Look at its pane before you write it again.',
        cause: error,
      },
    )
  }
}

const LOST: ReadonlySet<string> = new Set(['DAEMON_DOWN', 'DAEMON_HUNG'])

function isUnsent({ cause }: TrailBossError): boolean {
  return ['ENOENT', 'ECONNREFUSED'].includes(
    (cause as NodeJS.ErrnoException | undefined)?.code ?? '',
  )
}

async function textOf(words: readonly string[], file: string | undefined): Promise<string> {
  if (words.length > 0 && file !== undefined) {
    throw new TrailBossError('BAD_USAGE', 'A text and --file exclude each other.')
  }
  if (words.length > 0) return words.join(' ')
  if (file !== undefined && file !== '-') return await boundedFile(file)
  if (!process.stdin.isTTY) return await boundedStdin()
  throw new TrailBossError('BAD_USAGE', 'There is no text to send.', {
    hint: 'Write it after the target, or name a --file.',
  })
}
