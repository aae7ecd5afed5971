import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { DaemonClient } from '../../../client/daemon-client.ts'
import { launcherPath } from '../../../config/installation.ts'
import type { AnswerBody, DecisionsView, DecisionView } from '../../../contract/decision.ts'
import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { displayLine, plainJson } from '../../../core/text.ts'
import { createContext } from '../../context/context.ts'
import { durationArgument } from '../../context/duration-argument.ts'
import { editedText } from '../../context/editor.ts'
import { operatorName } from '../../context/operator-name.ts'
import { print, printJson, printView } from '../../context/output.ts'
import { patiently } from '../../context/patience.ts'
import { addCommand } from '../../context/run-command.ts'
import { decisionsText, decisionText } from '../../render/decision-text.ts'

type DecideOptions = {
  message?: string
  edit?: boolean
  input?: string
  mcp?: boolean
  mcpConfig?: boolean
  timeout?: number
  json?: boolean
}

export function addTo(program: Command): void {
  const usage = 'decide [id] [answer]'
  addCommand(program, usage, 'answer programs that ask through Trail Boss', decide)
    .option('--message <text>', 'what to say with the answer')
    .option('--edit', 'change the input in $EDITOR before allowing it')
    .addOption(
      new Option('--input <file>', 'allow it with the input in this file').conflicts('edit'),
    )
    .option('--mcp-config', 'print the MCP configuration for a headless agent')
    .option('--timeout <time>', 'with --mcp-config: deny after this, such as 30m', durationArgument)
    .addOption(new Option('--mcp', 'be that MCP server').hideHelp())
    .addHelpText('after', HELP)
}

const HELP = `
Without an id, it lists what is open. With an id alone (its beginning will do), it shows that decision and, in a \
terminal, asks for your answer. The answer is "allow" or "deny" for a tool, one of the options for a question, any \
text if a question has none. --input - reads from stdin.

For a headless agent, the permission prompt tool is mcp__trailboss__decide.`

async function decide(
  id: string | undefined,
  answer: string | undefined,
  options: DecideOptions,
): Promise<void> {
  if (options.mcpConfig) return printVerbatimConfig(options)
  if (options.mcp) {
    const { serveDecisions } = await import('./decide-mcp.ts')
    return serveDecisions(options.timeout === undefined ? {} : { timeoutMs: options.timeout })
  }
  const { client } = createContext()
  if (id === undefined) {
    const view = await client.get<DecisionsView>('/v1/decisions')
    return printView(view, options, decisionsText)
  }
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  const decision = await decisionNamed(client, id)
  if (answer !== undefined || options.edit || options.input !== undefined) {
    const given = { ...options, choice: answer ?? 'allow' }
    const settled = await answered(client, decision, await bodyFor(decision, given))
    if (options.json) printJson(settled)
    else print(`Answered ${displayLine(settled.asker.name)}: ${displayLine(answerText(settled))}.`)
    return
  }
  if (!isTerminal || options.json) return printView(decision, options, decisionText)
  const { answerInTerminal } = await import('./answer-in-terminal.ts')
  await answerInTerminal(client, decision, async (shown, choice) => {
    const body = await bodyFor(shown, choice)
    return patiently(() => answered(client, shown, body), 'Your answer is kept.')
  })
}

type Given = Pick<DecideOptions, 'message' | 'edit' | 'input'> & { choice: string }

function answered(
  client: DaemonClient,
  { id }: DecisionView,
  body: AnswerBody,
): Promise<DecisionView> {
  return client.post(`${pathOf(id)}/answer`, body)
}

async function bodyFor(
  decision: DecisionView,
  { choice, message, edit, input }: Given,
): Promise<AnswerBody> {
  if ((edit || input !== undefined) && choice !== 'allow') {
    throw new TrailBossError('BAD_USAGE', 'Only "allow" can change the input.')
  }
  // What is settled is not edited for nothing: the answer is refused.
  const isEdited = edit && decision.state === 'pending'
  const given = input === undefined ? undefined : parsedInput(readInput(input), input)
  const changed = isEdited ? await editedInput(decision) : given
  return {
    choice,
    by: operatorName(),
    ...(message !== undefined && { message }),
    ...(changed !== undefined && { input: changed }),
  }
}

/** Fewer letters would soon match another one, and none would match any. */
const FEWEST_LETTERS = 4

/** By its id, else by the beginning of it if only one begins so: of those that are open, if there are any. */
async function decisionNamed(client: DaemonClient, id: string): Promise<DecisionView> {
  if (id.length < FEWEST_LETTERS) {
    const message = `"${id}" is too short for the id of a decision. Nothing was answered.`
    const hint = `Give at least ${FEWEST_LETTERS} letters of it: trailboss decide lists what is open.`
    throw new TrailBossError('BAD_USAGE', message, { hint })
  }
  const exact = await ifKnown(client.get<DecisionView>(pathOf(id)))
  if (exact) return exact
  const { decisions } = await client.get<DecisionsView>('/v1/decisions')
  const begun = decisions.filter((one) => one.id.startsWith(id))
  const open = begun.filter(({ state }) => state === 'pending')
  const meant = open.length > 0 ? open : begun
  const [only] = meant
  if (meant.length > 1) {
    const ids = `${meant
      .slice(0, 5)
      .map((one) => one.id)
      .join(', ')}${meant.length > 5 ? ', …' : ''}`
    const message = `"${id}" may be any of ${meant.length} decisions: ${ids}.`
    const hint = 'Nothing was answered. Give more of its id.'
    throw new TrailBossError('AMBIGUOUS', message, { hint })
  }
  return client.get<DecisionView>(pathOf(only?.id ?? id))
}

/** Another one must never be taken for the one that is named in full. */
async function ifKnown(asked: Promise<DecisionView>): Promise<DecisionView | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

function answerText({ answer }: DecisionView): string {
  return answer?.changed ? `${answer.choice}, with the changed input` : (answer?.choice ?? '')
}

function pathOf(id: string): string {
  return `/v1/decisions/${encodeURIComponent(id)}`
}

async function editedInput({ input, tool, waiting }: DecisionView): Promise<unknown> {
  if (tool === null) {
    throw new TrailBossError('BAD_USAGE', 'A question has no input that could be changed.')
  }
  if (!waiting) {
    throw new TrailBossError('TOO_LATE', 'Its whole input is not known, so it cannot be changed.', {
      hint: 'Its asker is not connected. Answer without --edit, or wait until it is back.',
    })
  }
  const name = `${(tool ?? 'input').replaceAll(/\W+/g, '-')}.json`
  const text = `${plainJson(JSON.stringify(input ?? {}, null, 2))}\n`
  const edited = await editedText(name, text, 'Nothing was answered.')
  if (edited === text) {
    throw new TrailBossError('CANCELLED', 'You changed nothing, so nothing was answered.', {
      hint: 'To allow it as it is: y, or trailboss decide ID allow.',
    })
  }
  return parsedInput(edited, 'what you wrote')
}

function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new TrailBossError('BAD_USAGE', `The input cannot be read: ${messageOf(error)}`)
  }
}

function parsedInput(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `There is no valid JSON in ${where}: ${messageOf(error)}`
    throw new TrailBossError('BAD_USAGE', message, { hint: 'Nothing was answered.' })
  }
}

/** On one line, for a command line. */
function printVerbatimConfig({ timeout }: DecideOptions): void {
  const home = process.env['TRAILBOSS_HOME']
  const limit = timeout === undefined ? [] : ['--timeout', `${Math.ceil(timeout / 1_000)}s`]
  const trailboss = {
    type: 'stdio',
    command: launcherPath(),
    args: ['decide', '--mcp', ...limit],
    ...(home && { env: { TRAILBOSS_HOME: home } }),
  }
  process.stdout.write(`${JSON.stringify({ mcpServers: { trailboss } })}\n`)
}
