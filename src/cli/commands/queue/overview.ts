import { catalogue, TrailBossError } from '../../../core/errors.ts'
import { fieldLines } from '../../../text/fields.ts'
import { createContext } from '../../context/context.ts'
import { print, terminalReader } from '../../context/output.ts'
import { hasKeys } from '../../install/tmux-conf-choice.ts'
import { describe } from '../daemon/status.ts'

type Step = [command: string, what: string]

/** Without a command: the status, and what to do next. */
export async function overview(): Promise<void> {
  const context = createContext()
  const { client, paths } = context
  const isBound = hasKeys(process.env, paths.tmuxConf)
  const bind: Step[] = isBound ? [] : [['install tmux', 'bind the keys in your tmux; asks first']]
  try {
    const view = await client.status()
    describe(view, context)
    const go: Step[] = view.ready > 0 ? [['next', 'go to the one that has waited the longest']] : []
    printSteps([...go, ...bind, ['doctor', 'check the installation']])
  } catch (error) {
    if (!(error instanceof TrailBossError) || catalogue[error.code].exit !== 3) throw error
    if (error.code === 'DAEMON_HUNG') {
      print(error.message)
      return printSteps([['restart', 'stop it and start it again']])
    }
    print('Trail Boss is not running.')
    printSteps([['up', 'start it'], ['demo', 'try the keys on scripted agents'], ...bind])
  }
}

function printSteps(steps: Step[]): void {
  const all: Step[] = [...steps, ['help', 'see every command']]
  const lines = fieldLines(
    all.map(([command, what]) => [`trailboss ${command}`, what]),
    terminalReader(),
  )
  print(['\nWhat next:', ...lines].join('\n'))
}
