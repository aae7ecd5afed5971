import { resolvePaths } from '../../../config/paths.ts'
import { TrailBossError } from '../../../core/errors.ts'
import type { Check } from '../../../harness/wiring/check.ts'
import { fieldLines } from '../../../text/fields.ts'
import { paintFor } from '../../../text/paint.ts'
import { note, printJson, terminalReader } from '../../context/output.ts'
import { checkText } from '../../doctor/check-text.ts'
import { type InstallIo, terminalIo } from '../../install/install-io.ts'
import { isDaemonUp } from '../../install/install-next.ts'
import { createSite } from '../../install/site.ts'
import { answersFor, type Given } from '../../workspace/init-answers.ts'
import { terminalAsk } from '../../workspace/questions.ts'
import { wireHooks } from '../../workspace/wire-hooks.ts'
import { workspaceChecks } from '../../workspace/workspace-checks.ts'
import { readConfigFile, writeWorkspace } from '../../workspace/write-workspace.ts'

type InitOptions = Omit<Given, 'directory'> & { yes?: boolean; hooks: boolean; json?: boolean }

export async function initWorkspace(
  directory: string | undefined,
  options: InitOptions,
): Promise<void> {
  const { yes, hooks, json, ...given } = options
  const io = ioFor(options)
  const paths = resolvePaths(io.env)
  const ask = yes ? undefined : terminalAsk()
  if (!yes && !ask) throw nobodyThere()
  const config = readConfigFile(paths.configFile, io.env)
  const { workspaces } = config
  const { configFile } = paths
  const answers = await answersFor(
    { ...given, directory },
    { env: io.env, configFile, workspaces, ask, note },
  )
  const { name, directory: place } = answers
  const others = Object.entries(workspaces).filter(([, own]) => own.directories.includes(place))
  for (const [other] of others)
    note(`Workspace ${other} has ${place}, too: dispatches there go to ${other}.`)
  const workspace = await writeWorkspace(config, answers, { ...(yes && { yes }) }, io)
  const harnesses = Object.values(answers.roles)
  if (hooks) await wireHooks(harnesses, { ...(yes && { yes }) }, io)
  const checks = await workspaceChecks(name, workspace, createSite(io).site)
  const isBroken = checks.some(({ status }) => status === 'broken')
  const next = nextSteps(await isDaemonUp(paths), isBroken)
  if (json) {
    const { directories, orchestrator = null, reviewer = null } = workspace
    const { roles } = answers
    printJson({
      file: configFile,
      workspace: { name, directories, roles, orchestrator, reviewer },
      checks,
      next: next.map(([command]) => command),
    })
    return
  }
  io.print(report(name, checks))
  io.print(['\nWhat next:', ...fieldLines(next, terminalReader())].join('\n'))
}

/** With `--json`, stdout has only the result; with `--yes`, it asks nothing. */
function ioFor({ yes, json }: InitOptions): InstallIo {
  const { confirm, ...io } = terminalIo()
  return {
    ...io,
    ...(json && { print: io.note, printFile: io.note }),
    ...(!yes && confirm && { confirm }),
  }
}

function report(name: string, checks: readonly Check[]): string {
  const { columns } = process.stdout
  const reader = { ...(columns && { width: columns }), paint: paintFor() }
  return [`\nWorkspace ${name}:`, ...checks.map((check) => checkText(check, reader))].join('\n')
}

function nextSteps(isUp: boolean, isBroken: boolean): [command: string, what: string][] {
  const check = 'trailboss workspace check'
  return [
    ...(isBroken ? [[check, 'once you have fixed what has a ✗'] as [string, string]] : []),
    isUp
      ? ['trailboss workspace reload', 'have the daemon read it']
      : ['trailboss up', 'start the daemon'],
    ['trailboss runtime start --all', 'start its agents'],
    ...(isBroken ? [] : [[check, 'see what will not work'] as [string, string]]),
  ]
}

function nobodyThere(): TrailBossError {
  return new TrailBossError('BAD_USAGE', 'Nobody is there to answer the questions.', {
    hint: 'Nothing was changed. Add --yes to take the defaults; --name, --role, --orchestrator and --reviewer say otherwise.',
  })
}
