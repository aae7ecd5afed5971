import { RELOADABLE } from '../../config/config-drift.ts'
import type { StatusView } from '../../contract/responses.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'

/** Whether the running daemon uses the current configuration. */
export function daemonChecks({ daemon, configChanged = [] }: StatusView): Check[] {
  const others = configChanged.filter((name) => name !== RELOADABLE)
  const checks = [
    ...(others.length < configChanged.length
      ? [
          broken(
            'daemon',
            'it does not go by the workspaces as they are in the configuration now',
            'Have it read them: trailboss workspace reload',
          ),
        ]
      : []),
    ...(others.length > 0
      ? [
          warning(
            'daemon',
            `settings have changed since it was started: ${others.join(', ')}`,
            'Have it read them: trailboss restart',
          ),
        ]
      : []),
  ]
  return checks.length > 0 ? checks : [ok('daemon', `it runs (pid ${daemon.pid})`)]
}
