import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { displayText } from '../core/text.ts'
import { version } from '../core/version.ts'
import { useNoColor } from '../text/paint.ts'
import { addBridgeCommands } from './bridge-commands.ts'
import { reportError, runCommand } from './context/run-command.ts'
import { addDaemonCommands } from './daemon-commands.ts'
import { addDispatchCommands } from './dispatch-commands.ts'
import { addSupervisorCommands } from './supervisor-commands.ts'

/** Each command's code is loaded when it runs. */
export async function runProgram(argv: string[]): Promise<void> {
  tolerateClosedOutput()
  if (argv.length === 2) {
    return runCommand(async () => (await import('./commands/queue/overview.ts')).overview())
  }
  try {
    const program = buildProgram(await wiringCommands(argv))
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : reportError(error)
  }
}

/** These two ask every adapter for its options, so only they and the help load the adapters. */
async function wiringCommands(argv: string[]): Promise<{ addTo(program: Command): void }[]> {
  if (!argv.some((word) => /^(?:install|uninstall|help|-h|--help)$/.test(word))) return []
  return Promise.all([
    import('./commands/setup/install-command.ts'),
    import('./commands/setup/uninstall-command.ts'),
  ])
}

function buildProgram(wiring: { addTo(program: Command): void }[]): Command {
  const program = new Command('trailboss')
    .description(
      'Finds the coding agents in your tmux that wait for you, and takes you to the oldest one.',
    )
    .version(version, '-V, --version')
    .option('--no-color', 'print without colours')
    .hook('preAction', () => {
      if (program.opts()['color'] === false) useNoColor()
    })
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(displayText(text)) })
    .helpCommand(false)
    .configureHelp({ subcommandTerm })
    .addHelpText('after', KEYS_HELP)

  const json = () => new Option('--json', 'print JSON')
  const command = (name: string, description: string) =>
    program.command(name).description(description).exitOverride()

  addDaemonCommands(program)
  command('jump-next', 'go to the oldest stuck session')
    .alias('next')
    .option('--client <name>', 'the tmux client to take there (default: the one you look at)')
    .option('--pane <id>', 'the pane you are in')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/queue/jump-next.ts')).jumpNext(options)),
    )
  command('skip', "move this pane's session to the tail")
    .option('--jump', 'then go to the new head')
    .option('--session <id>', 'skip this session')
    .addOption(
      new Option('--head', 'skip the oldest, wherever you are').conflicts(['session', 'undo']),
    )
    .option('--undo', 'take the last skip back')
    .option('--cooldown-ms <ms>', 'how long it stays out of the way', milliseconds)
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/queue/skip.ts')).skip(options)),
    )
  command('popup', 'pick from the queue')
    .option('--client <name>', 'the tmux client to take there')
    .option('--pane <id>', 'the pane you are in')
  command('list', 'print the queue, head first')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/queue/list.ts')).list(options)),
    )
  command('sessions', 'print every known session')
    .option('--all', 'those that ended, too')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/queue/sessions.ts')).sessions(options)),
    )
  command('explain', 'say why a session is listed, or why it is not')
    .argument(
      '[target]',
      'session id, its first letters (4 or more), pane id (%3), or . for this pane; else all',
    )
    .option('--all', 'those that ended, too')
    .option('--screen <file>', 'say which screen rule fits this saved screen, - for stdin')
    .option('--harness <name>', 'with --screen: whose rules (default: generic)')
    .option('--title <text>', "with --screen: the pane's title")
    .option('--cursor <x,y>', 'with --screen: where the cursor stands, or: hidden')
    .addOption(json())
    .action((target, options) =>
      runCommand(async () =>
        options.screen === undefined
          ? (await import('./commands/queue/explain.ts')).explain(target, options)
          : (await import('./commands/queue/explain-screen.ts')).explainScreen(target, options),
      ),
    )

  command('watch', 'show live what the monitor sees, or have a pane watched')
    .argument('[target]', 'pane (%3, . for this one), window (@2, work:1) or tmux session (work)')
    .option('--off', 'do not watch it any more')
    .option('--once', 'print once instead of live')
    .addOption(json())
    .action((target, options) =>
      runCommand(async () =>
        (await import('./commands/supervisor/watch.ts')).watch(target, options),
      ),
    )

  addSupervisorCommands(program)
  addDispatchCommands(program)
  addBridgeCommands(program)

  for (const file of wiring) file.addTo(program)
  command('doctor', 'check every link of the chain, and how to fix it')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/setup/doctor.ts')).doctor(options)),
    )
  command('demo', 'try the keys on a throwaway herd')
    .option('--check', 'run the tour unattended and check every step')
    .action((options) =>
      runCommand(async () => (await import('./commands/setup/demo.ts')).demo(options)),
    )
  command('emit', 'the hook entry: takes a hook payload from stdin')
    .argument('<harness>')
    .action(() => undefined)
  command('help', 'show this help, or that of a command')
    .argument('[command...]')
    .action((words) =>
      runCommand(async () => (await import('./commands/setup/help.ts')).help(program, words)),
    )
  nameHelp(program)
  return program
}

/** After an error, the help of that very command. */
function nameHelp(command: Command, before: readonly string[] = []): void {
  const names = [...before, command.name()]
  command.showHelpAfterError(`(see: ${names.join(' ')} --help)`)
  for (const each of command.commands) nameHelp(each, names)
}

/** A reader that has seen enough, such as `head`, and a terminal that was closed end no command half-way. */
function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'EIO') return
      if (stream === process.stderr) process.exit(1)
      process.exit(reportError(new Error(`What it printed could not be written: ${error.message}`)))
    })
  }
}

const KEYS_HELP = `
Keys, once bound with "trailboss install tmux":
  prefix Tab   go to the oldest stuck session
  prefix g     pick from the queue
  prefix S     skip this one and go to the next`

/** A command and what it takes, without the word [options] in every line. */
function subcommandTerm(command: Command): string {
  const names = [command.name(), ...command.aliases()].join(', ')
  const wanted = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [names, ...wanted].join(' ')
}

function milliseconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of milliseconds.')
}
