import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { processState } from '../../process/process-state.ts'
import { Reconciler } from './reconcile.ts'

/** On a busy machine, other processes and kernel notifications take their time. */
const PATIENT_MS = 15_000

let world: TestHerd
let reconciler: Reconciler
let child: ChildProcess
beforeEach(async () => {
  world = createTestHerd()
  reconciler = new Reconciler(world.herd, world.inventory)
  child = spawn('sleep', ['600'])
  await once(child, 'spawn')
})
afterEach(() => {
  child.kill('SIGKILL')
  world[Symbol.dispose]()
})

function stuck(more: Partial<AgentEvent> = {}): void {
  world.herd.receive(
    withoutSecrets({
      v: 1,
      kind: 'stuck',
      reason: 'stopped',
      harness: 'h',
      session: 's',
      source: 'hook',
      at: world.herd.clock.now(),
      ...more,
    }),
    { recovered: false },
  )
}
const state = () => [...world.herd.sessions()][0]?.verdict.state
const pid = () => child.pid ?? 0
const processIs = (seen: string) =>
  vi.waitFor(
    () => expect(processState(pid(), { start: undefined, knownAt: Date.now() })).toBe(seen),
    PATIENT_MS,
  )

describe('a session whose process is known', () => {
  test('stays while the process lives', async () => {
    stuck({ pid: pid() })
    await reconciler.check()
    expect(world.queue()).toEqual(['s'])
  })

  test('leaves the queue when the process is killed', async () => {
    stuck({ pid: pid() })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await reconciler.check()
    expect(state()).toBe('ended')
    expect(world.queue()).toEqual([])
  })

  test.each([
    ['check', () => reconciler.check()],
    ['checkBusy', () => reconciler.checkBusy()],
  ])('is not brought back by late messages (%s)', async (_, look) => {
    stuck({ kind: 'unstuck', pid: pid() })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await look()
    expect(state()).toBe('ended')
    stuck({ at: world.herd.clock.now() + 1 })
    await look()
    expect(state()).toBe('ended')
  })

  test('is another one when somebody continues it without naming the process', async () => {
    stuck({ pid: pid() })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await reconciler.check()
    stuck({ kind: 'started', at: world.herd.clock.now() + 1 })
    stuck({ at: world.herd.clock.now() + 2 })
    await reconciler.check()
    expect(world.queue()).toEqual(['s'])
  })

  const suspendAndContinue = async () => {
    stuck({ kind: 'unstuck', pid: pid() })
    child.kill('SIGSTOP')
    await processIs('suspended')
    await reconciler.check()
    expect(world.queue()).toEqual(['s'])
    child.kill('SIGCONT')
    await processIs('alive')
  }

  test('waits for its human while the process is suspended, and continues with it', async () => {
    await suspendAndContinue()
    await reconciler.check()
    expect(state()).toBe('working')
  })

  test('leaves the queue at the quick look, too', async () => {
    stuck({ pid: pid() })
    reconciler.checkBusy()
    expect(world.queue()).toEqual(['s'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    reconciler.checkBusy()
    expect(world.queue()).toEqual([])
  })

  test('leaves the queue at the quick look when it is no longer suspended', async () => {
    await suspendAndContinue()
    reconciler.checkBusy()
    expect(world.queue()).toEqual([])
  })

  test('is suspended and continued between two sweeps', async () => {
    stuck({ kind: 'unstuck', pid: pid() })
    child.kill('SIGSTOP')
    await processIs('suspended')
    reconciler.checkStoppable()
    expect(world.queue()).toEqual(['s'])
    child.kill('SIGCONT')
    await processIs('alive')
    reconciler.checkStoppable()
    expect(world.queue()).toEqual([])
  })

  test('is not fooled by another process that got the same pid later', async () => {
    stuck({ pid: pid(), at: world.herd.clock.now() - 3_600_000 })
    await reconciler.check()
    expect(state()).toBe('ended')
  })

  test('does not end because its tmux server is unreachable', async () => {
    stuck({ pid: pid(), pane: { socket: '/tmp/tb-nowhere/none', id: '%1' } })
    await world.inventory.refresh('/tmp/tb-nowhere/none')
    await world.inventory.refresh('/tmp/tb-nowhere/none')
    await reconciler.check()
    expect(world.queue()).toEqual(['s'])
  })
})

describe('a session that has ended', () => {
  const current = () => [...world.herd.current()].map(({ id }) => id)
  const endedAgo = (ms: number) => stuck({ kind: 'ended', at: world.herd.clock.now() - ms })

  test('is checked for a minute, and then laid aside', async () => {
    endedAgo(30_000)
    await reconciler.check()
    expect(current()).toEqual(['s'])
    stuck({ session: 'older', kind: 'ended', at: world.herd.clock.now() - 90_000 })
    await reconciler.check()
    expect(current()).toEqual(['s'])
    expect([...world.herd.sessions()]).toHaveLength(2)
  })

  test('is back when another event arrives for it', async () => {
    endedAgo(90_000)
    await reconciler.check()
    expect(current()).toEqual([])
    stuck()
    expect(current()).toEqual(['s'])
    expect(world.queue()).toEqual(['s'])
  })

  test('is forgotten after a day', async () => {
    endedAgo(25 * 3_600_000)
    await reconciler.check()
    expect([...world.herd.sessions()]).toEqual([])
    expect(current()).toEqual([])
  })
})

describe('a session with only a known pane', () => {
  const pane = { socket: '/tmp/tb-nowhere/none', id: '%1' }
  const lookAgain = async () => {
    await world.inventory.refresh(pane.socket)
    await reconciler.check()
  }
  /** As after a restart: the earlier run has seen what it left. */
  const restart = () => {
    reconciler = new Reconciler(world.herd, world.inventory)
  }

  test('is unknown, not ended, when its tmux server stops answering', async () => {
    stuck({ pane })
    restart()
    await lookAgain()
    expect(state()).toBe('stuck')
    await lookAgain()
    expect(state()).toBe('unknown')
  })

  test('is ended when the process of its tmux server is gone', async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    stuck({ pane: { ...pane, server: pid() } })
    restart()
    await lookAgain()
    expect(state()).toBe('ended')
  })

  test('stays listed if that pane was never seen', async () => {
    stuck({ pane })
    for (let look = 0; look < 4; look++) await lookAgain()
    expect(world.queue()).toEqual(['s'])
  })

  test('ends with a pane that closed before the first check, and a late hook does not bring it back', async () => {
    const sighting = vi.spyOn(world.inventory, 'sighting').mockReturnValue('present')
    const looks = vi.spyOn(world.inventory, 'looks')
    stuck({ pane })
    for (const session of world.herd.sessions()) reconciler.notePane(session)
    sighting.mockReturnValue('missing')
    const missTwice = async (first: number) => {
      for (const count of [first, first + 1]) {
        looks.mockReturnValue(count)
        await reconciler.check()
      }
    }
    await missTwice(1)
    expect(state()).toBe('ended')
    await reconciler.check()
    // Not in the same millisecond as its end.
    stuck({ pane, at: world.herd.clock.now() + 10 })
    expect(state()).toBe('stuck')
    await missTwice(3)
    expect(state()).toBe('ended')
  })
})
