import type { Pane } from '../core/pane.ts'
import { type RunCommands, runCommands } from './exec.ts'

/** The last lines of a pane, including scrolled ones; undefined if it does not exist or tmux did not answer. */
export async function paneTail(
  { socket, id, pid }: Pane,
  lines: number,
  ask: RunCommands = runCommands,
): Promise<string | undefined> {
  const result = await ask(socket, [
    ['display-message', '-p', '-t', id, '#{pane_pid}'],
    ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', id],
  ])
  if (!result.ok) return undefined
  const [current, ...rows] = result.stdout.split('\n')
  if (current !== String(pid)) return undefined
  return rows.join('\n').trimEnd().split('\n').slice(-lines).join('\n')
}
