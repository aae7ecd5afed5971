import type { Command } from 'commander'
import type { RuntimeVerb, SupervisorClient } from '../../../client/supervisor-client.ts'
import type { RuntimeView } from '../../../contract/supervisor.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine, displayText } from '../../../core/text.ts'
import { upTo } from '../../context/option-values.ts'
import { note, print, printFor, printJson, printVerbatim, printView } from '../../context/output.ts'
import { addCommand, reportError } from '../../context/run-command.ts'
import { changeText, hooksWarning, runtimeTable, runtimeText } from '../../render/runtime-text.ts'
import { AGENT, RUN_BY_US } from './help-group.ts'
import { createSupervised } from './supervisor-context.ts'

type ChangeOptions = { all?: boolean; json?: boolean }

export function addTo(program: Command): void {
  const runtime = program
    .command('runtime')
    .description('run agents in panes of their own')
    .helpGroup(RUN_BY_US)
    .helpCommand(false)
    .addHelpText('after', HELP)
  addCommand(runtime, 'list', 'print every registered runtime', listRuntimes)
  addCommand(runtime, 'show', 'show one runtime in detail', showRuntime).argument('<agent>', AGENT)
  addCommand(runtime, 'logs', 'print the end of its screen, or what its last process left', logs)
    .argument('<agent>', AGENT)
    .option('--lines <n>', 'how many lines', upTo(500), 60)
  const change = (verb: RuntimeVerb, description: string) =>
    addCommand(runtime, verb, description, (agent: string | undefined, options: ChangeOptions) =>
      changeRuntimes(verb, agent, options),
    )
  const one = (verb: RuntimeVerb, description: string) =>
    change(verb, description).argument('<agent>', AGENT)
  const oneOrAll = (verb: RuntimeVerb, description: string, which: string) =>
    change(verb, description).argument('[agent]', AGENT).option('--all', which)
  one('register', 'register it without starting it')
  oneOrAll('start', 'start it and keep it running', 'all agents of the configuration')
  oneOrAll('stop', 'stop it gracefully, then close its pane', 'all running agents')
  oneOrAll('restart', 'stop it and start it again', 'all running agents')
  one('deregister', 'forget a stopped runtime')
}

const HELP = `
An agent's name is <workspace>/<role>, as in the configuration.
The agents of a workspace share a tmux session: tmux attach -t agents_<workspace>`

async function listRuntimes(options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const runtimes = await supervisor.runtimes()
  if (options.json) return printJson({ runtimes })
  if (runtimes.length === 0) return note(NONE)
  await printFor((reader) => runtimeTable(runtimes, reader))
}

async function showRuntime(agent: string, options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  await printView(await supervisor.runtime(agent), options, runtimeText)
}

async function logs(agent: string, options: { lines: number; json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const view = await supervisor.logs(agent, options.lines)
  if (options.json) return printJson(view)
  const { screen } = view
  const name = displayLine(view.agent)
  if (!screen) return note(`Nothing is known of the screen of ${name}: it has not run yet.`)
  const when = new Date(screen.at).toTimeString().slice(0, 8)
  note(
    screen.live
      ? `${name}, now:`
      : `${name} has no pane now. Its last process left this at ${when}:`,
  )
  printVerbatim(displayText(screen.text))
}

/** One agent or all of them. A refusal does not stop the others, and sets the exit code. */
async function changeRuntimes(
  verb: RuntimeVerb,
  agent: string | undefined,
  options: ChangeOptions,
): Promise<number> {
  if (agent !== undefined && options.all) throw notBoth(verb)
  if (agent === undefined && !options.all) throw oneOrAll(verb)
  const { supervisor, by, agents: configured, requireWorkspace } = createSupervised()
  if (verb === 'start' || verb === 'register') requireWorkspace()
  const agents =
    agent === undefined ? agentsFor(verb, configured, await supervisor.runtimes()) : [agent]
  if (agents.length === 0) note(`There is nothing to ${verb}.`)
  const changed: RuntimeView[] = []
  let exit = 0
  for (const each of agents) {
    try {
      const failed = verb === 'deregister' ? await openFailures(supervisor, each) : 0
      const runtime = await supervisor.change(verb, each, by)
      changed.push(runtime)
      if (!options.json) print(changeText(verb, each, runtime))
      if (failed > 0) note(dismissedText(failed, runtime.agent))
      const warning = STARTING.has(verb) ? hooksWarning(runtime) : undefined
      if (warning && !options.json) note(`Warning: ${warning}`)
    } catch (error) {
      if (agent !== undefined) throw error
      exit = reportError(named(each, error))
    }
  }
  if (options.json) printJson(agent === undefined ? { runtimes: changed } : changed[0])
  return exit
}

const STARTING: ReadonlySet<RuntimeVerb> = new Set(['start', 'restart'])

/** Failed triggers that are still in the queue, which leave it with their runtime. */
async function openFailures(supervisor: SupervisorClient, agent: string): Promise<number> {
  const failed = await supervisor.triggers({ agent, state: 'failed' })
  return failed.filter(({ retriedAs, dismissed }) => retriedAs === null && !dismissed).length
}

function dismissedText(count: number, agent: string): string {
  const what = count === 1 ? 'Its failed trigger has' : `Its ${count} failed triggers have`
  return `${what} left your queue. To see what they say: trailboss trigger list --agent ${displayLine(agent)}`
}

const NONE = 'No runtime is registered. Start one with: trailboss runtime start <workspace>/<role>'

/** Leaves alone what is already in the wanted state. */
function agentsFor(
  verb: RuntimeVerb,
  configured: readonly string[],
  runtimes: readonly RuntimeView[],
): string[] {
  const running = runtimes.filter(({ status }) => !isDown(status)).map(({ agent }) => agent)
  if (verb !== 'start') return running
  return configured.filter((agent) => !running.includes(agent))
}

function isDown(status: RuntimeView['status']): boolean {
  return status === 'stopped' || status === 'stopping' || status === 'failed'
}

/** The error of one of several agents names it. */
function named(agent: string, error: unknown): unknown {
  if (!(error instanceof TrailBossError)) return error
  const { code, hint } = error
  return new TrailBossError(code, `${displayLine(agent)}: ${error.message}`, {
    ...(hint && { hint }),
    cause: error,
  })
}

function notBoth(verb: RuntimeVerb): TrailBossError {
  return new TrailBossError('BAD_USAGE', 'A name and --all exclude each other.', {
    hint: `Name one agent, or all of them: trailboss runtime ${verb} --all`,
  })
}

function oneOrAll(verb: RuntimeVerb): TrailBossError {
  return new TrailBossError('BAD_USAGE', `Which runtime do you want to ${verb}?`, {
    hint: `Name one agent, or all of them: trailboss runtime ${verb} --all`,
  })
}
