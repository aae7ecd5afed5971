import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { isAlive } from '../../process/process-state.ts'
import { note, print } from '../context/output.ts'
import { type HerdOptions, startHerd } from './herd.ts'
import { Interruption } from './interruption.ts'
import { openOperatorTerminal } from './operator-terminal.ts'
import { Sandbox } from './sandbox.ts'
import { TOUR, type Visit } from './tour.ts'

const PREFIX = 'C-b'

/** Takes the tour as an operator whose keys we press. Exit code 1 when a step fails. */
export async function checkDemo(): Promise<number> {
  const startedAt = performance.now()
  using interruption = new Interruption()
  let passed = true
  let left: () => string[]
  {
    await using sandbox = new Sandbox()
    passed = await takeTour(sandbox, interruption.signal)
    const pids = await sandbox.processes()
    left = () => [
      ...pids.filter(isAlive).map((pid) => `process ${pid} still runs`),
      ...(existsSync(sandbox.dir) ? [`${sandbox.dir} is still there`] : []),
    ]
  }
  passed = (await step('everything that was started is gone', async () => refuse(left()))) && passed
  if (interruption.exitCode !== undefined) return interruption.exitCode
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  print(passed ? `All is well (${seconds} s).` : `The tour failed (${seconds} s).`)
  return passed ? 0 : 1
}

/** Stops at the first step that fails, because the later ones depend on its result. */
async function takeTour(sandbox: Sandbox, signal: AbortSignal): Promise<boolean> {
  const steer = join(sandbox.dir, 'steer')
  mkdirSync(steer)
  let visit: Visit | undefined
  const begun = await step('tmux, the daemon and four scripted agents start', async () => {
    const options: HerdOptions = { prefix: PREFIX, steer, signal }
    const panes = await startHerd(sandbox, options)
    const seat = await openOperatorTerminal(sandbox, signal)
    visit = { sandbox, seat, panes, prefix: PREFIX, steer, signal }
  })
  if (!begun || !visit) return false
  for (const { what, take } of TOUR) {
    const here = visit
    if (await step(what, () => take(here))) continue
    if (!signal.aborted) note(await lastView(here))
    return false
  }
  return true
}

async function step(what: string, take: () => Promise<void>): Promise<boolean> {
  try {
    await take()
    print(`  ✓ ${what}`)
    return true
  } catch (error) {
    print(`  ✗ ${what}`)
    print(`      ${messageOf(error).replaceAll('\n', '\n      ')}`)
    return false
  }
}

function refuse(left: string[]): void {
  if (left.length > 0) throw new Error(left.join('; '))
}

async function lastView({ seat }: Visit): Promise<string> {
  const screen = await seat.screen().catch((error) => messageOf(error))
  return `\nThe screen at that moment:\n${screen.replace(/^/gm, '  | ')}`
}
