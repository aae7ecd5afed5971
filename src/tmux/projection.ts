import { runCommands } from './exec.ts'

/** The queue as the keys and the status line of one tmux server see it: user options, evaluated by tmux. */
export type Projection = {
  /** Pane id of the oldest ready item if it is on this server; empty if it is elsewhere or there is none. */
  head: string
  /** The oldest ready item is in a pane of another server. */
  elsewhere: boolean
  /** There are ready items, and none of them has a pane. */
  nopane: boolean
  count: number
  cooling: number
  /** Epoch seconds of this heartbeat. */
  beat: number
}

/** Only our own numbers and ids: nothing from a session goes in here. */
export function projectionCommands(projection: Projection): string[][] {
  const options: [string, string][] = [
    ['@trailboss_head', projection.head],
    ['@trailboss_elsewhere', projection.elsewhere ? '1' : ''],
    ['@trailboss_nopane', projection.nopane ? '1' : ''],
    ['@trailboss_count', projection.count > 0 ? String(projection.count) : ''],
    ['@trailboss_cooling', projection.cooling > 0 ? String(projection.cooling) : ''],
    ['@trailboss_now', '%s'],
    ['@trailboss_beat', String(projection.beat)],
  ]
  return options.map(([name, value]) => ['set-option', '-gq', name, value])
}

/** After this the keys find nothing of ours and fall back to the CLI, which reports what is wrong. */
export async function clearProjection(socket: string): Promise<void> {
  const names = ['head', 'elsewhere', 'nopane', 'count', 'cooling', 'beat']
  await runCommands(
    socket,
    names.map((name) => ['set-option', '-gqu', `@trailboss_${name}`]),
  )
}
