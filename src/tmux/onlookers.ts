import { type RunCommands, runCommands } from './exec.ts'

// Numbers, ids and tmux's own words only: a name in the same line could forge a row.
const CLIENT = 'c #{client_activity} #{window_id} #{pane_id} #{?focus-events,1,0} #{client_flags}'
const CLIENT_ROW = /^c (\d+) (@\d+) (%\d+) ([01]) (\S*)$/
const PANE = 'p #{pane_id} #{window_id} #{?window_zoomed_flag,1,0} #{@trailboss_view}'
const PANE_ROW = /^p (%\d+) (@\d+) ([01]) ([0-9a-f]*)$/

/** Whoever has pressed no key for so long may be elsewhere. */
const PRESENT_SECONDS = 60

/** Which panes somebody looks at, on one server, and what the windows that we opened show. */
export type Onlookers = { panes: ReadonlySet<string>; views: ReadonlySet<string> }

/**
 * Somebody looks at a pane if a terminal shows it, is in focus as far as tmux knows, and got a key within the last
 * minute. Undefined if tmux did not answer, which says nothing.
 */
export async function onlookersAt(
  socket: string,
  wall: number,
  run: RunCommands = runCommands,
): Promise<Onlookers | undefined> {
  const result = await run(socket, [
    ['list-clients', '-F', CLIENT],
    ['list-panes', '-a', '-F', PANE],
  ])
  if (!result.ok) return undefined
  const lines = result.stdout.split('\n')
  const seen = lines.flatMap((line) => {
    const [, activity, window, active, hasFocusEvents, flags = ''] = CLIENT_ROW.exec(line) ?? []
    const words = flags.split(',')
    const isThere =
      wall / 1_000 - Number(activity) < PRESENT_SECONDS &&
      !words.includes('control-mode') &&
      !words.includes('suspended') &&
      (hasFocusEvents === '0' || words.includes('focused'))
    return isThere ? [{ window, active }] : []
  })
  const panes = new Set<string>()
  const views = new Set<string>()
  for (const line of lines) {
    const [, id = '', window, isZoomed, view] = PANE_ROW.exec(line) ?? []
    // In a zoomed window only one pane shows.
    const isSeen = seen.some(
      (client) => client.window === window && (isZoomed === '0' || client.active === id),
    )
    if (!isSeen) continue
    panes.add(id)
    if (view) views.add(view)
  }
  return { panes, views }
}
