import { existsSync, readFileSync } from 'node:fs'
import { type Check, ok, warning } from '../../harness/wiring/check.ts'
import { readKeysFile } from '../../tmux/conf/keys-file.ts'
import { segmentPlace } from '../../tmux/conf/status-line.ts'
import { runTmux } from '../../tmux/exec.ts'
import type { Surroundings } from './surroundings.ts'

const OWN_PLACE = 'put #{E:@trailboss_segment} into your own status-right or status-left'

/** Whether the stuck count is where we promised the operator to show it. */
export async function statusLineChecks({ socket, paths }: Surroundings): Promise<Check[]> {
  const plugin = await runTmux(socket, ['show-options', '-gqv', '@trailboss-status'])
  if (!plugin.ok) return []
  const file = existsSync(paths.tmuxConf) ? readFileSync(paths.tmuxConf, 'utf8') : ''
  const isWanted = readKeysFile(file).status || plugin.stdout.trim() === 'on'
  const place = await segmentPlace(socket)
  if (place === 'shown') return [ok('status line', 'it shows the stuck count')]
  if (!isWanted) return []
  if (place === 'no status line') {
    const detail = 'the stuck count cannot be seen: the status line is off'
    return [warning('status line', detail, 'Switch it on: tmux set -g status on')]
  }
  const detail = 'the stuck count is not in it: status-format was set after our block was read'
  return [warning('status line', detail, `Set status-format above our block, or ${OWN_PLACE}.`)]
}
