import { runCommands } from './exec.ts'

/** A pane as it was when it was opened. */
export type TailedPane = { socket: string; paneId: string; panePid: number }

/** The last lines of a pane, those that scrolled away included; undefined where it is not there or could not be asked. */
export async function paneTail(
  { socket, paneId, panePid }: TailedPane,
  lines: number,
): Promise<string | undefined> {
  const result = await runCommands(socket, [
    ['display-message', '-p', '-t', paneId, '#{pane_pid}'],
    ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', paneId],
  ])
  if (!result.ok) return undefined
  const [pid, ...rows] = result.stdout.split('\n')
  if (pid !== String(panePid)) return undefined
  return rows.join('\n').trimEnd().split('\n').slice(-lines).join('\n')
}
