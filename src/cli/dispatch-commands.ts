import { type Command, InvalidArgumentError } from 'commander'
import { command, json, upTo } from './context/command-parts.ts'
import { runCommand } from './context/run-command.ts'
import { RUN_BY_US } from './supervisor-commands.ts'

/** Tasks for agents of their own. */
export function addDispatchCommands(program: Command): void {
  const dispatch = command(program, 'dispatch', 'give a task to an agent of its own, and follow it')
    .helpGroup(RUN_BY_US)
    .usage('[options] <name>\n       trailboss dispatch status|logs|wait|stop|accept')
    .argument('<name>', 'what to call it: a-z, 0-9, - and _')
    .option('--harness <name>', 'which agent, by the name of its harness')
    .option('--cwd <dir>', 'where it works; a directory of a workspace (default: this one)')
    .option('--prompt-file <file>', 'the task, from a file, - for stdin')
    .option('--prompt <text>', 'the task, - for stdin')
    .option('--reviewer <agent>', 'who looks at the result: <workspace>/<role>, or its role')
    .option('--wait', 'until it has ended; exit code 1 if it is not done then')
    .addOption(json())
    .helpCommand(false)
    .addHelpText('after', DISPATCH_HELP)
    .action((name, options) => run(({ beginDispatch }) => beginDispatch(name, options)))
  // What both have, such as --json, the parent takes: each asks for all that was given.
  command(dispatch, 'status', 'say how one is, or all of them')
    .argument('[name]')
    .addOption(json())
    .action((name, _, self: Command) =>
      run(({ dispatchStatus }) => dispatchStatus(name, self.optsWithGlobals())),
    )
  command(dispatch, 'logs', 'print what was done for one, and what it shows')
    .argument('<name>')
    .option('--lines <n>', 'so many lines of its screen', upTo(500), 60)
    .addOption(json())
    .action((name, _, self: Command) =>
      run(({ dispatchLogs }) => dispatchLogs(name, self.optsWithGlobals())),
    )
  command(dispatch, 'wait', 'wait until one has ended; exit code 1 if it is not done then')
    .argument('<name>')
    .option('--timeout <time>', 'no longer than this: 90s, 10m, 2h', duration)
    .option('--or-waiting', 'or until it waits for somebody')
    .addOption(json())
    .action((name, _, self: Command) =>
      run(({ waitForDispatch }) => waitForDispatch(name, self.optsWithGlobals())),
    )
  command(dispatch, 'stop', 'end one, and its agent')
    .argument('<name>')
    .addOption(json())
    .action((name, _, self: Command) =>
      run(({ stopDispatch }) => stopDispatch(name, self.optsWithGlobals())),
    )
  command(dispatch, 'accept', 'take what it said last as its result, though it asks for more')
    .argument('<name>')
    .addOption(json())
    .action((name, _, self: Command) =>
      run(({ acceptDispatch }) => acceptDispatch(name, self.optsWithGlobals())),
    )
}

const DISPATCH_HELP = `
What it cannot settle itself is in your queue, like any other session. Its agent stays in its pane
when it is done, until you stop it.`

type DispatchCommands = typeof import('./commands/supervisor/dispatch.ts')

function run(work: (commands: DispatchCommands) => Promise<unknown>): Promise<void> {
  return runCommand(async () => await work(await import('./commands/supervisor/dispatch.ts')))
}

const UNIT_MS = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 }

/** In milliseconds. */
function duration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smh]?)$/.exec(text) ?? []
  if (number) return Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]
  throw new InvalidArgumentError('It must be a time such as 90s, 10m or 2h.')
}
