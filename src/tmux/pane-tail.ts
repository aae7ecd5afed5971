import type { Pane } from '../core/pane.ts'
import { runCommands } from './exec.ts'

/** The last lines of a pane, those that scrolled away included; undefined where it is not there or could not be asked. */
export async function paneTail(
  { socket, id, pid }: Pane,
  lines: number,
): Promise<string | undefined> {
  const result = await runCommands(socket, [
    ['display-message', '-p', '-t', id, '#{pane_pid}'],
    ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', id],
  ])
  if (!result.ok) return undefined
  const [current, ...rows] = result.stdout.split('\n')
  if (current !== String(pid)) return undefined
  return rows.join('\n').trimEnd().split('\n').slice(-lines).join('\n')
}
