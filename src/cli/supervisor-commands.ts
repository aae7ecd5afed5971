import type { Command } from 'commander'
import type { RuntimeVerb } from '../client/supervisor-client.ts'
import { collected, command, json, upTo } from './context/command-parts.ts'
import { runCommand } from './context/run-command.ts'

/** Runtimes, triggers and the audit; figures for a person and for Prometheus. */
export function addSupervisorCommands(program: Command): void {
  addRuntimeCommands(program)
  addTriggerCommands(program)
  command(program, 'audit', 'print what was done to runtimes, panes, threads and tokens')
    .helpGroup(RUN_BY_US)
    .option('--agent <name>', 'of this agent: <workspace>/<role>')
    .option('--runtime <id>', 'of this runtime')
    .option('--thread <id>', 'of this thread')
    .option('--trigger <id>', 'of this trigger')
    .option('--kind <kind>', 'only such lines; may be given several times', collected)
    .option('--actor <who>', 'done by operator:<name>, an agent, or trailboss')
    .option('--result <code>', 'ok, or the code of what went wrong')
    .option('--since <time>', '2h or 7d (ago), 14:30, 2026-01-31')
    .option('--until <time>', 'likewise')
    .option('--limit <n>', 'at most so many, the newest', upTo(1000), 50)
    .option('--follow', 'go on with what is new, until interrupted')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/supervisor/audit.ts')).audit(options)),
    )
  command(program, 'stats', 'say how much was answered, and how fast')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/stats.ts')).stats(options)),
    )
  command(program, 'metrics', 'print the figures for Prometheus')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/metrics.ts')).metrics(options)),
    )
}

/** The heading under which every command about them stands in the help. */
export const RUN_BY_US = 'For agents that it runs itself, once you have configured a workspace:'

const AGENT = 'the agent: <workspace>/<role>'

function addRuntimeCommands(program: Command): void {
  const runtime = command(program, 'runtime', 'run agents in panes of their own')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
    .addHelpText('after', RUNTIME_HELP)
  command(runtime, 'list', 'print every registered runtime')
    .addOption(json())
    .action((options) => run(async ({ listRuntimes }) => await listRuntimes(options)))
  command(runtime, 'show', 'say all that is known of one')
    .argument('<agent>', AGENT)
    .addOption(json())
    .action((agent, options) => run(async ({ showRuntime }) => await showRuntime(agent, options)))

  const change = (verb: RuntimeVerb, description: string) =>
    command(runtime, verb, description)
      .addOption(json())
      .action((agent, options) =>
        run(async ({ changeRuntimes }) => await changeRuntimes(verb, agent, options)),
      )
  const one = (verb: RuntimeVerb, description: string) =>
    change(verb, description).argument('<agent>', AGENT)
  const oneOrAll = (verb: RuntimeVerb, description: string, which: string) =>
    change(verb, description).argument('[agent]', AGENT).option('--all', which)
  one('register', 'make it known without starting it')
  oneOrAll('start', 'start it, and keep it running', 'all that the configuration names')
  oneOrAll('stop', 'end it gracefully, then close its pane', 'all that run')
  oneOrAll('restart', 'stop it and start it again', 'all that run')
  one('deregister', 'forget one that is stopped')
}

function addTriggerCommands(program: Command): void {
  const trigger = command(program, 'trigger', 'give a runtime a prompt, and see that it arrives')
    .helpGroup(RUN_BY_US)
    .usage('[options] <agent>\n       trailboss trigger list|show|retry|cancel')
    .argument('<agent>', AGENT)
    .option('--reason <why>', 'why, in a word or two; the agent is told')
    .option('--thread <id>', 'what it is about; without a text, it is to read that')
    .option('--text <text>', 'what to say, - for stdin')
    .option('--file <file>', 'what to say, from a file')
    .option('--force', 'do not wait for whoever types there; needs --as and --why')
    .option('--as <who>', 'as whom')
    .option('--why <why>', 'why it cannot wait; the audit keeps it')
    .option('--wait', 'until it has arrived, or failed (exit code 1)')
    .addOption(json())
    .helpCommand(false)
    .action((agent, options) =>
      runCommand(async () =>
        (await import('./commands/supervisor/trigger.ts')).trigger(agent, options),
      ),
    )
  // What both have, such as --json, the parent takes: each asks for all that was given.
  command(trigger, 'list', 'print triggers, newest last')
    .option('--agent <name>', 'for this agent')
    .option('--thread <id>', 'of this thread')
    .option('--state <state>', 'open, delivered, failed, …')
    .option('--limit <n>', 'at most so many', upTo(1000), 30)
    .addOption(json())
    .action((_, self: Command) =>
      runCommand(async () =>
        (await import('./commands/supervisor/trigger.ts')).listTriggers(self.optsWithGlobals()),
      ),
    )
  command(trigger, 'show', 'say what became of one')
    .argument('<id>')
    .addOption(json())
    .action((id, _, self: Command) =>
      runCommand(async () =>
        (await import('./commands/supervisor/trigger.ts')).showTrigger(id, self.optsWithGlobals()),
      ),
    )
  command(trigger, 'retry', 'send one that failed once more')
    .argument('<id>')
    .option('--wait', 'until it has arrived, or failed (exit code 1)')
    .addOption(json())
    .action((id, _, self: Command) =>
      runCommand(async () =>
        (await import('./commands/supervisor/trigger.ts')).retryTrigger(id, self.optsWithGlobals()),
      ),
    )
  command(trigger, 'cancel', 'take one back, or let one that failed be')
    .argument('<id>')
    .addOption(json())
    .action((id, _, self: Command) =>
      runCommand(async () =>
        (await import('./commands/supervisor/trigger.ts')).cancelTrigger(
          id,
          self.optsWithGlobals(),
        ),
      ),
    )
}

const RUNTIME_HELP = `
An agent is named as the configuration has it: <workspace>/<role>.
All of a workspace are in one tmux session: tmux attach -t agents_<workspace>`

type RuntimeCommands = typeof import('./commands/supervisor/runtime.ts')

function run(work: (commands: RuntimeCommands) => Promise<unknown>): Promise<void> {
  return runCommand(async () => await work(await import('./commands/supervisor/runtime.ts')))
}
