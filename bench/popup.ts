import { setTimeout as delay } from 'node:timers/promises'
import { ControlClient, outputOf } from './control-client.ts'
import { bindKeys } from './keys.ts'
import { createPlace, type Terminal, TRAILBOSS } from './place.ts'
import { type Bench, percentile, runAlone, spread } from './report.ts'
import { hookBody, Line, openSessions } from './sessions.ts'

const ITEMS = 20
const ROUNDS = 30
const WARM_UP = 3
const BUDGET = 2.5

/** The footer is drawn last, and ends with this word. */
const FRAME_END = /\bclose\b/

/**
 * From starting a process in a pane until its first full frame, and from a key until that frame is on the
 * operator's terminal. The baseline is `node -e 0` in a pane, started the same way, in the same rounds.
 */
export const popup: Bench = {
  name: 'popup',
  async run() {
    await using place = await createPlace()
    const sessions = await openSessions(place, ITEMS)
    await place.up()
    using line = new Line(place.socket, 1)
    for (const session of sessions) {
      await line.post('/event', hookBody(place, session, 'Stop', 0))
    }
    await bindKeys(place)
    using watcher = new ControlClient(place.tmux.socket, 'work', {
      env: place.env,
      flags: 'ignore-size',
    })
    const terminal = await place.seat()
    const samples = { pane: [] as number[], key: [] as number[], node: [] as number[] }
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const node = await nodeInPane(watcher)
      const pane = await popupInPane(watcher)
      const key = await popupByKey(terminal)
      if (round < WARM_UP) continue
      samples.node.push(node)
      samples.pane.push(pane)
      samples.key.push(key)
    }
    const node = percentile(samples.node, 50)
    const row = (name: string, values: number[]) => {
      const p50 = percentile(values, 50)
      return {
        name,
        figures: spread(values),
        details: `node -e 0: ${spread(samples.node)} (n=${values.length}, ${ITEMS} items)`,
        ratio: p50 / node,
        budget: `≤ ${BUDGET} × node -e 0`,
        ok: p50 / node <= BUDGET,
      }
    }
    return [
      row('popup process → first full frame', samples.pane),
      row('popup key → first full frame on screen', samples.key),
    ]
  },
}

async function nodeInPane(watcher: ControlClient): Promise<number> {
  const closed = watcher.notified((line) => /^%(unlinked-)?window-close /.test(line))
  const startedAt = performance.now()
  await watcher.command(`new-window -d -t work: "exec '${process.execPath}' -e 0"`)
  return (await closed) - startedAt
}

async function popupInPane(watcher: ControlClient): Promise<number> {
  let drawn = ''
  let pane = ''
  const complete = watcher.notified((line) => {
    const output = outputOf(line)
    drawn += output?.text ?? ''
    pane = output?.pane ?? pane
    return output !== undefined && FRAME_END.test(drawn)
  })
  const startedAt = performance.now()
  await watcher.command(`new-window -d -t work: "exec '${TRAILBOSS}' popup"`)
  const completeAt = await complete
  requireItems(drawn)
  const closed = watcher.notified((line) => /^%(unlinked-)?window-close /.test(line))
  await watcher.command(`send-keys -t ${pane} q`)
  await closed
  return completeAt - startedAt
}

async function popupByKey({ outer }: Terminal): Promise<number> {
  let drawn = ''
  const complete = outer.notified((line) => {
    drawn += outputOf(line)?.text ?? ''
    return FRAME_END.test(drawn)
  })
  const startedAt = performance.now()
  void outer.command('send-keys -t terminal: C-b g')
  const completeAt = await complete
  requireItems(drawn)
  void outer.command('send-keys -t terminal: q')
  await quiet(outer)
  return completeAt - startedAt
}

/** The frame must say how many wait and show some of them, not "Asking…". */
function requireItems(drawn: string): void {
  if (drawn.includes(`${ITEMS} stuck`) && drawn.includes('project-0')) return
  throw new Error(`not the frame that was expected: ${JSON.stringify(drawn)}`)
}

/** Resolves when nothing has been drawn for a while, so the popup is gone. */
async function quiet(client: ControlClient): Promise<void> {
  const drew = () => client.notified((line) => line.startsWith('%output'), 250)
  while (await drew().catch(() => undefined)) await delay(1)
}

if (import.meta.main) await runAlone(popup)
