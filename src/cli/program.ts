import { Command, CommanderError, Help, type Option } from 'commander'
import { displayText } from '../core/text.ts'
import { version } from '../core/version.ts'
import { useNoColor } from '../text/paint.ts'
import { wrapProse } from '../text/wrap.ts'
import { note, print } from './context/output.ts'
import { reportError, runCommand } from './context/run-command.ts'

/** A command's flags, its help and what it does are in one file. */
type CommandFile = { addTo(program: Command): void }

/** By name and alias, in the order of the help. A file is loaded when its command runs, or for the help. */
export const COMMANDS: Record<string, () => Promise<CommandFile>> = {
  'up|start': () => import('./commands/daemon/up.ts'),
  'down|stop': () => import('./commands/daemon/down.ts'),
  restart: () => import('./commands/daemon/restart.ts'),
  status: () => import('./commands/daemon/status.ts'),
  logs: () => import('./commands/daemon/logs.ts'),
  'jump-next|next': () => import('./commands/queue/jump-next.ts'),
  skip: () => import('./commands/item/skip.ts'),
  snooze: () => import('./commands/item/snooze.ts'),
  dismiss: () => import('./commands/item/dismiss.ts'),
  back: () => import('./commands/jump/back.ts'),
  drain: () => import('./commands/jump/drain.ts'),
  popup: () => import('./commands/queue/popup.ts'),
  list: () => import('./commands/queue/list.ts'),
  sessions: () => import('./commands/queue/sessions.ts'),
  explain: () => import('./commands/queue/explain.ts'),
  watch: () => import('./commands/queue/watch.ts'),
  wait: () => import('./commands/item/wait.ts'),
  reply: () => import('./commands/supervisor/reply.ts'),
  decide: () => import('./commands/decision/decide.ts'),
  ask: () => import('./commands/decision/ask.ts'),
  notify: () => import('./commands/notice/notify.ts'),
  mute: () => import('./commands/notice/mute.ts'),
  workspace: () => import('./commands/workspace/workspace.ts'),
  runtime: () => import('./commands/supervisor/runtime.ts'),
  trigger: () => import('./commands/supervisor/trigger.ts'),
  audit: () => import('./commands/supervisor/audit.ts'),
  stats: () => import('./commands/daemon/stats.ts'),
  metrics: () => import('./commands/daemon/metrics.ts'),
  dispatch: () => import('./commands/supervisor/dispatch.ts'),
  thread: () => import('./commands/supervisor/thread.ts'),
  token: () => import('./commands/supervisor/token.ts'),
  bridge: () => import('./commands/supervisor/bridge.ts'),
  install: () => import('./commands/setup/install.ts'),
  uninstall: () => import('./commands/setup/uninstall.ts'),
  doctor: () => import('./commands/setup/doctor.ts'),
  demo: () => import('./commands/setup/demo.ts'),
  emit: () => import('./commands/setup/emit.ts'),
  help: () => import('./commands/setup/help.ts'),
}

export async function runProgram(argv: string[]): Promise<void> {
  tolerateClosedOutput()
  if (argv.length === 2) {
    return runCommand(async () => (await import('./commands/queue/overview.ts')).overview())
  }
  const word = argv.slice(2).find((arg) => !arg.startsWith('-'))
  const name = Object.keys(COMMANDS).find((names) => names.split('|').includes(word ?? ''))
  const isVersion = /^(-V|--version)$/.test(argv[2] ?? '')
  const names = isVersion ? [] : name && name !== 'help' ? [name] : Object.keys(COMMANDS)
  try {
    await (await programWith(names)).parseAsync(argv)
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : reportError(error)
  }
}

/** The program with these commands, by default all. */
export async function programWith(names = Object.keys(COMMANDS)): Promise<Command> {
  const program = new Command('trailboss')
    .description(
      'Finds the coding agents in your tmux that are waiting for you, and takes you to the oldest one.',
    )
    .version(version, '-V, --version')
    .option('--no-color', 'print without colours')
    .hook('preAction', () => {
      if (program.opts()['color'] === false) useNoColor()
    })
    .exitOverride()
    .configureOutput({
      // As wide as commander makes the rest of the help.
      writeOut: (text) => print(wrapProse(text.trimEnd(), process.stdout.columns ?? 80).join('\n')),
      outputError: (text) => note(displayText(text).trimEnd()),
    })
    .helpCommand(false)
    .configureHelp({ subcommandTerm, visibleOptions })
  const files = await Promise.all(names.map((name) => COMMANDS[name]?.()))
  for (const file of files) file?.addTo(program)
  nameHelp(program)
  return program
}

/** An error points to the help of its own command. */
function nameHelp(command: Command, before: readonly string[] = []): void {
  const names = [...before, command.name()]
  command.showHelpAfterError(`(see: ${names.join(' ')} --help)`)
  for (const each of command.commands) nameHelp(each, names)
}

/** A command finishes its work even if `head` closes the pipe, or the terminal is closed. */
function tolerateClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'EIO') return
      if (stream === process.stderr) process.exit(1)
      process.exit(reportError(new Error(`The output could not be written: ${error.message}`)))
    })
  }
}

/** A command and its arguments, without [options] in every line. */
function subcommandTerm(command: Command): string {
  const names = [command.name(), ...command.aliases()].join(', ')
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [names, ...args].join(' ')
}

/** What every command has comes last. */
function visibleOptions(command: Command): Option[] {
  const place = ({ long }: Option) => ['--json', '--help'].indexOf(long ?? '')
  return new Help().visibleOptions(command).toSorted((a, b) => place(a) - place(b))
}
