import type { RuntimeVerb } from '../../../client/supervisor-client.ts'
import type { RuntimeView } from '../../../contract/supervisor.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { paintFor } from '../../../text/paint.ts'
import { note, print, printJson } from '../../context/output.ts'
import { reportError } from '../../context/run-command.ts'
import { createSupervised } from '../../context/supervisor-context.ts'
import { changeText, runtimeTable, runtimeText } from '../../render/runtime-text.ts'

type ChangeOptions = { all?: boolean; json?: boolean }

export async function listRuntimes(options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const runtimes = await supervisor.runtimes()
  if (options.json) return printJson({ runtimes })
  if (runtimes.length === 0) return note(NONE)
  print(runtimeTable(runtimes, { now: Date.now(), paint: paintFor() }))
}

export async function showRuntime(agent: string, options: { json?: boolean }): Promise<void> {
  const { supervisor } = createSupervised()
  const runtime = await supervisor.runtime(agent)
  if (options.json) return printJson(runtime)
  print(runtimeText(runtime, { now: Date.now(), paint: paintFor() }))
}

/** One agent or all of them; one that refuses keeps no other from it, and decides the exit code. */
export async function changeRuntimes(
  verb: RuntimeVerb,
  agent: string | undefined,
  options: ChangeOptions,
): Promise<number> {
  if ((agent === undefined) === !options.all) throw oneOrAll(verb)
  const { supervisor, by, agents: configured, requireWorkspace } = createSupervised()
  if (verb === 'start' || verb === 'register') requireWorkspace()
  const agents =
    agent === undefined ? agentsFor(verb, configured, await supervisor.runtimes()) : [agent]
  if (agents.length === 0) note(`There is nothing to ${verb}.`)
  const changed: RuntimeView[] = []
  let exit = 0
  for (const each of agents) {
    try {
      const runtime = await supervisor.change(verb, each, by)
      changed.push(runtime)
      if (!options.json) print(changeText(verb, each, runtime))
    } catch (error) {
      if (agent !== undefined) throw error
      exit = reportError(named(each, error))
    }
  }
  if (options.json) printJson(agent === undefined ? { runtimes: changed } : changed[0])
  return exit
}

const NONE =
  'No runtime is registered. Start one of the configuration with: trailboss runtime start <workspace>/<role>'

/** What already is as it should be is left alone; all that the configuration names are started. */
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

/** Which of several it was that refused. */
function named(agent: string, error: unknown): unknown {
  if (!(error instanceof TrailBossError)) return error
  const { code, hint } = error
  return new TrailBossError(code, `${displayLine(agent)}: ${error.message}`, {
    ...(hint && { hint }),
    cause: error,
  })
}

function oneOrAll(verb: RuntimeVerb): TrailBossError {
  return new TrailBossError('BAD_USAGE', `Which runtime is to ${verb}?`, {
    hint: `Name one agent, or all of them: trailboss runtime ${verb} --all`,
  })
}
