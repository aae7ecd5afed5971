import { type Check, ok, warning } from '../../harness/wiring/check.ts'
import { holderOf, type PortHolder } from '../../process/port-holder.ts'
import type { Surroundings } from './surroundings.ts'

const CHOOSE =
  'Choose another with "port" in the settings or TRAILBOSS_PORT (0 for none), then restart'
const RESTART = 'trailboss restart'

/** Whether other tools can reach the daemon over TCP, and if not, who has its port. */
export async function portChecks({ status }: Surroundings): Promise<Check[]> {
  if (!status?.tcp) return []
  const { port, listening } = status.tcp
  if (listening) return [ok('port', `127.0.0.1:${port} answers those who show a token`)]
  const holder = holderOf(port)
  if (holder) {
    const detail = `${nameOf(holder)} has port ${port}; other tools cannot reach Trail Boss over TCP`
    return [warning('port', detail, `${CHOOSE}: ${RESTART}`)]
  }
  const detail = `port ${port} could not be had when the daemon started, and is free now`
  return [warning('port', detail, `Restart it: ${RESTART}`)]
}

function nameOf({ uid, pid, name }: PortHolder): string {
  if (pid !== undefined) return `${name ?? 'a program'} (pid ${pid})`
  return uid === process.getuid?.() ? 'another program' : "another user's program"
}
