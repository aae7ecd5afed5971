import { writeFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import { resolvePaths } from '../config/paths.ts'
import { catalogue, messageOf, TrailBossError } from '../core/errors.ts'
import { redacted } from '../core/redact/redaction.ts'
import { displayText } from '../core/text.ts'
import { version } from '../core/version.ts'
import { openLog } from '../service/log.ts'
import { tmuxSocketFor } from '../tmux/socket.ts'
import { Daemon } from './daemon.ts'
import { prepareHome } from './home/home.ts'
import { DaemonLock } from './home/lock.ts'

process.umask(0o077)
// The terminal may go away while the daemon runs; that must not kill it in the middle of a write.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Set by an `up` that has started us in the background and waits for the result. */
const reportFile = process.env['TRAILBOSS_REPORT_FILE']
delete process.env['TRAILBOSS_REPORT_FILE']

try {
  await run()
} catch (error) {
  const known = error instanceof TrailBossError ? error : undefined
  const hint = known?.hint ? `\n  ${known.hint}` : ''
  const report = printable(`trailboss: ${messageOf(error)}${hint}\n`)
  process.stderr.write(report)
  if (reportFile) writeFileSync(reportFile, report, { mode: 0o600 })
  process.exit(known ? catalogue[known.code].exit : 1)
}

async function run(): Promise<void> {
  const paths = resolvePaths()
  const config = loadConfig(paths.configFile)
  prepareHome(paths)
  using _lock = new DaemonLock(paths.lock)
  writeFileSync(paths.pidFile, `${process.pid}\n`, { mode: 0o600 })
  const log = openLog(paths.log, config.logLevel)
  process.on('uncaughtException', (error) => {
    process.stderr.write(printable(`trailboss: ${messageOf(error)}\n`))
    log.fatal({ reason: messageOf(error), stack: error.stack }, 'crashed')
    process.exit(1)
  })
  const stopped = stopSignal()
  // In the background we have no terminal that could be closed.
  if (reportFile) process.on('SIGHUP', () => log.info('hangup ignored'))
  {
    await using daemon = new Daemon({
      env: process.env,
      paths,
      config,
      log,
      sockets: [tmuxSocketFor(config.tmuxSocket, process.env)],
      say: (line) => process.stdout.write(printable(`${line}\n`)),
      lost: () => {
        // No clean-up: the files at our paths now belong to somebody else.
        process.stderr.write(
          `trailboss: ${paths.home} is gone or was replaced; this daemon ends.\n`,
        )
        process.exit(1)
      },
    })
    await daemon.start()
    log.info({ version }, 'started')
    process.stdout.write(
      `Trail Boss ${version} keeps watch (pid ${process.pid}). Log: ${paths.log}\n`,
    )
    log.info({ signal: await stopped }, 'stopping')
  }
  log.info('stopped')
  process.exit(0)
}

/** Printed text stays: in the scrollback of a window, in the systemd journal. */
function printable(text: string): string {
  return redacted(displayText(text))
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve)
    process.on('SIGINT', resolve)
    if (!reportFile) process.on('SIGHUP', resolve)
  })
}
