import type { StatusView } from '../../contract/responses.ts'
import { version } from '../../core/version.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import { runTmux } from '../../tmux/exec.ts'
import type { Surroundings } from './surroundings.ts'

const RESTART = 'trailboss restart'
/** The keys assume that the daemon is dead when its heartbeat is this old. */
const STALE_SECONDS = 15

export async function daemonChecks({ status, silence, paths }: Surroundings): Promise<Check[]> {
  if (!status) {
    const detail = silence?.message ?? 'it does not answer'
    return [broken('daemon', detail, silence?.hint ?? 'Start it with: trailboss up')]
  }
  const { pid, version: running } = status.daemon
  const check =
    running === version
      ? ok('daemon', `version ${running} answers (pid ${pid})`)
      : broken(
          'daemon',
          `version ${running} runs, but this program is ${version}`,
          `Restart it: ${RESTART}`,
        )
  return [check, ...warningChecks(status, paths.log), ...controlChecks(status)]
}

/** What a warning is about, as a check. */
const NAMES = {
  daemon: 'daemon',
  config: 'config',
  database: 'database',
  'damaged-rows': 'database',
  notify: 'notices',
}

function warningChecks({ warnings, warningKinds }: StatusView, log: string): Check[] {
  const look = 'Check whether anything is missing: trailboss sessions.'
  const hints = {
    daemon: `Its log says more: ${log}`,
    config: 'Until then the daemon goes on with what it read.',
    database: `${look} Then remove the file that was set aside, if there is one.`,
    notify: 'Try it: trailboss notify --test. Until it works, it is tried again every few minutes.',
    'damaged-rows': `${look} Trail Boss keeps the rows for 30 days and shows this as long as it has any.`,
  }
  const checks = warnings.flatMap((text, index) => {
    const kind = warningKinds?.[index] ?? 'daemon'
    // The port has its own check, which knows more.
    if (kind === 'port') return []
    return [warning(NAMES[kind], text, hints[kind])]
  })
  const database = checks.filter(({ name }) => name === 'database')
  const others = checks.filter(({ name }) => name !== 'database')
  return [...others, ...(database.length > 0 ? database : [ok('database', 'ok')])]
}

/** Everything works without a control client, but each look then costs a process. */
function controlChecks({ servers }: StatusView): Check[] {
  return servers
    .filter(({ reachable, control }) => reachable && !control.connected)
    .map(({ socket, control }) => {
      const detail = `none at ${socket}: ${control.why}`
      return control.wanted
        ? warning(
            'control client',
            detail,
            'It works without, but every look at the panes there starts a tmux process.',
          )
        : ok('control client', detail)
    })
}

/** Whether this tmux server has an up-to-date state for the keys and the status line. */
export async function projectionChecks({ socket, status }: Surroundings): Promise<Check[]> {
  if (!status) return []
  const result = await runTmux(socket, ['show-options', '-gqv', '@trailboss_beat'])
  if (!result.ok) return []
  const beat = Number(result.stdout.trim() || Number.NaN)
  if (Number.isNaN(beat)) {
    const known = status.servers.some((server) => server.socket === socket)
    const detail = `the daemon tells ${socket} nothing${known ? '' : ': it does not know this server'}`
    const mend = known ? `Restart it: ${RESTART}` : 'Make it known: run trailboss jump-next there'
    return [broken('live queue', detail, mend)]
  }
  const ageSeconds = Math.floor(Date.now() / 1_000) - beat
  if (Math.abs(ageSeconds) >= STALE_SECONDS) {
    const detail = `the last heartbeat in tmux is ${ageSeconds} s old`
    return [broken('live queue', detail, `Restart the daemon: ${RESTART}`)]
  }
  return [ok('live queue', `tmux knows it; the last heartbeat is ${ageSeconds} s old`)]
}
