import type { Command } from 'commander'
import { collected, command, json, upTo } from './context/command-parts.ts'
import { runCommand } from './context/run-command.ts'
import { RUN_BY_US } from './supervisor-commands.ts'

/** Threads and tokens for the operator, and the bridge itself for agents. */
export function addBridgeCommands(program: Command): void {
  addThreadCommands(program)
  addTokenCommands(program)
  command(program, 'bridge', 'the MCP server of a runtime: what its agent talks through')
    .helpGroup(RUN_BY_US)
    .addHelpText('after', BRIDGE_HELP)
    .action(() =>
      runCommand(async () => (await import('./commands/supervisor/bridge.ts')).bridge()),
    )
}

function addThreadCommands(program: Command): void {
  const thread = command(program, 'thread', 'let agents talk with each other, and decide')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
    .addHelpText('after', THREAD_HELP)
  command(thread, 'list', 'print the threads, the one last spoken in first')
    .option('--workspace <name>', 'of this workspace')
    .option('--state <state>', 'open, blocked or closed')
    .option('--all', 'those that are closed, too')
    .addOption(json())
    .action((options) => run(({ listThreads }) => listThreads(options)))
  command(thread, 'show', 'say all of one, and what was last said in it')
    .argument('<id>')
    .option('--limit <n>', 'so many messages', upTo(1000), 20)
    .addOption(json())
    .action((id, options) => run(({ showThread }) => showThread(id, options)))
  command(thread, 'open', 'open one')
    .argument('<title>', 'what it is about')
    .requiredOption('--with <agent>', 'who takes part; may be given several times', collected)
    .option('--workspace <name>', 'where; not needed if there is only one')
    .addOption(json())
    .action((title, options) => run(({ openThread }) => openThread(title, options)))
  command(thread, 'post', 'say something in one: its agents are prompted to read it')
    .argument('<id>')
    .argument('[text]', 'what to say, - for stdin')
    .option('--file <file>', 'what to say, from a file')
    .option('--to <agent>', 'only for this one; may be given several times', collected)
    .addOption(json())
    .action((id, text, options) => run(({ postMessage }) => postMessage(id, text, options)))
  command(thread, 'unblock', 'let one go on that went in circles')
    .argument('<id>')
    .addOption(json())
    .action((id, options) => run(({ unblockThread }) => unblockThread(id, options)))
  command(thread, 'close', 'end one')
    .argument('<id>')
    .addOption(json())
    .action((id, options) => run(({ closeThread }) => closeThread(id, options)))
}

function addTokenCommands(program: Command): void {
  const token = command(program, 'token', 'see who is on the bridge, and take that back')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
  command(token, 'list', 'print the tokens of runtimes, without their secrets')
    .option('--agent <name>', 'of this agent: <workspace>/<role>')
    .option('--all', 'also those that are not good any more')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/supervisor/token.ts')).listTokens(options)),
    )
  command(token, 'revoke', 'end one: its runtime is off the bridge until it is restarted')
    .argument('<id>')
    .addOption(json())
    .action((id, options) =>
      runCommand(async () =>
        (await import('./commands/supervisor/token.ts')).revokeToken(id, options),
      ),
    )
}

const THREAD_HELP = `
A thread is blocked after 20 messages without progress, or when one finding was told
3 times. It then waits in the queue until you unblock or close it.`

const BRIDGE_HELP = `
Runtimes get it by themselves. It speaks MCP over stdin and stdout, and knows whose it
is by the token in TRAILBOSS_BRIDGE_TOKEN.`

type ThreadCommands = typeof import('./commands/supervisor/thread.ts')

function run(work: (commands: ThreadCommands) => Promise<unknown>): Promise<void> {
  return runCommand(async () => await work(await import('./commands/supervisor/thread.ts')))
}
