import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { TrailBossError } from '../core/errors.ts'
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
  const program = buildProgram()
  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : reportError(error)
  }
}

function buildProgram(): Command {
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

  const wiring = (name: string, description: string) =>
    command(name, description)
      .argument(
        '[what]',
        'claude-code, codex, gemini, opencode, qwen, tmux, or all of them (default)',
      )
      .usage('[options] [claude-code|codex|gemini|opencode|qwen|tmux|all]')
      .option('--yes', 'do it without asking')
      .helpCommand(false)
  const target = (parent: Command, name: string, description: string) =>
    parent.command(name).description(description).option('--yes', 'do it without asking')
  const install = wiring('install', 'wire your agents and bind the keys; shows each change first')
  install.action((what, options) =>
    runCommand(async () => (await import('./commands/setup/install.ts')).installAll(what, options)),
  )
  target(install, 'claude-code', "add the hooks to Claude Code's settings")
    .option('--project <dir>', "to that project's settings.json instead of your own")
    .option('--local', 'with --project: to its settings.local.json')
    .option('--plugin <dir>', 'as a plugin in this directory, for claude --plugin-dir')
    .option('--print', 'print them for one launch, claude --settings FILE; changes nothing')
    .option('--claude <program>', 'the claude to ask which hooks it knows (default: in PATH)')
    .action((_, subcommand: Command) =>
      runCommand(async () => {
        const { installClaudeCode } = await import('./install/install-claude-code.ts')
        await installClaudeCode(subcommand.optsWithGlobals())
      }),
    )
  eitherOr(
    target(install, 'codex', 'add the hooks to Codex, and the trust in them'),
    'shared-daemon',
  )
    .option('--shared-daemon', 'give the shared daemon back')
    .option('--no-shared-daemon', "switch Codex's shared daemon off: each session runs in its pane")
    .action((_, subcommand: Command) =>
      runCommand(async () => {
        const { installCodex } = await import('./install/install-codex.ts')
        await installCodex(subcommand.optsWithGlobals())
      }),
    )
  target(install, 'gemini', "add the hooks to Gemini CLI's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { installHooks } = await import('./install/install-hooks.ts')
        const { GEMINI } = await import('./install/gemini-settings.ts')
        await installHooks(GEMINI, subcommand.optsWithGlobals())
      }),
  )
  target(install, 'opencode', "add our plugin to opencode's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { installOpencode } = await import('./install/install-opencode.ts')
        await installOpencode(subcommand.optsWithGlobals())
      }),
  )
  target(install, 'qwen', "add the hooks to Qwen Code's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { installHooks } = await import('./install/install-hooks.ts')
        const { QWEN } = await import('./install/qwen-settings.ts')
        await installHooks(QWEN, subcommand.optsWithGlobals())
      }),
  )
  eitherOr(target(install, 'tmux', 'bind the keys in your tmux.conf'), 'status', 'start')
    .option('--conf <file>', 'the tmux.conf to change')
    .option('--status', 'add the stuck count to the status line')
    .option('--no-status', 'take it out of the status line')
    .option('--start', 'start the daemon when a tmux server starts (the default)')
    .option('--no-start', 'leave starting it to you')
    .option('--key-next <key>', 'prefix key for Next (default: Tab)')
    .option('--key-popup <key>', 'prefix key for the popup (default: g)')
    .option('--key-skip <key>', 'prefix key for Skip (default: S)')
    .option('--diff', 'show the keys file as well')
    .option('--print', 'print the keys file instead of installing it')
    .addHelpText('after', '\nWhat you do not name stays as the last install left it.')
    .action((_, subcommand: Command) =>
      runCommand(async () => {
        const { installTmux } = await import('./install/install-tmux.ts')
        await installTmux(subcommand.optsWithGlobals())
      }),
    )

  const uninstall = wiring('uninstall', 'take back exactly what install added')
  uninstall.action((what, options) =>
    runCommand(async () =>
      (await import('./commands/setup/install.ts')).uninstallAll(what, options),
    ),
  )
  target(uninstall, 'claude-code', "take the hooks out of Claude Code's settings")
    .option('--project <dir>', "out of that project's instead of your own")
    .option('--local', 'with --project: only out of its settings.local.json')
    .option('--plugin <dir>', 'out of the plugin in this directory')
    .action((_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallClaudeCode } = await import('./install/uninstall-claude-code.ts')
        await uninstallClaudeCode(subcommand.optsWithGlobals())
      }),
    )
  target(uninstall, 'codex', 'take the hooks and the trust in them out of Codex').action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallCodex } = await import('./install/uninstall-codex.ts')
        await uninstallCodex(subcommand.optsWithGlobals())
      }),
  )
  target(uninstall, 'gemini', "take the hooks out of Gemini CLI's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallHooks } = await import('./install/uninstall-hooks.ts')
        const { GEMINI } = await import('./install/gemini-settings.ts')
        await uninstallHooks(GEMINI, subcommand.optsWithGlobals())
      }),
  )
  target(uninstall, 'opencode', "take our plugin out of opencode's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallOpencode } = await import('./install/uninstall-opencode.ts')
        await uninstallOpencode(subcommand.optsWithGlobals())
      }),
  )
  target(uninstall, 'qwen', "take the hooks out of Qwen Code's settings").action(
    (_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallHooks } = await import('./install/uninstall-hooks.ts')
        const { QWEN } = await import('./install/qwen-settings.ts')
        await uninstallHooks(QWEN, subcommand.optsWithGlobals())
      }),
  )
  target(uninstall, 'tmux', 'take the keys out of your tmux.conf')
    .option('--conf <file>', 'the tmux.conf to change')
    .option('--diff', 'show the keys file as well')
    .action((_, subcommand: Command) =>
      runCommand(async () => {
        const { uninstallTmux } = await import('./install/uninstall-tmux.ts')
        await uninstallTmux(subcommand.optsWithGlobals())
      }),
    )
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

/** Commander would take the last of the two. */
function eitherOr(command: Command, ...flags: string[]): Command {
  for (const flag of flags) {
    const given = new Set<string>()
    for (const name of [flag, `no-${flag}`]) {
      command.on(`option:${name}`, () => {
        if (given.add(name).size === 1) return
        throw new TrailBossError('BAD_USAGE', `--${flag} and --no-${flag} exclude each other.`, {
          hint: 'Leave one of them out. Nothing was changed.',
        })
      })
    }
  }
  return command
}

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
