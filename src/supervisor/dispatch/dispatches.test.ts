import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { type Dispatch, newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import type { DispatchObservation } from '../../core/supervisor/dispatch/dispatch-observation.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { saveDispatch } from '../../store/tables/dispatches.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { createRegistry } from '../runtimes/registry.ts'
import { Dispatches, type DispatchParts } from './dispatches.ts'

const WORKING = { state: 'working', since: 1, by: 'hook', why: 'it works' } as const
const ENDED = { state: 'stuck', reason: 'stopped', ask: { text: 'Done.' } } as const

let scene: BridgeScene
beforeEach(() => {
  vi.useFakeTimers()
  scene = createBridgeScene()
})
afterEach(() => {
  scene[Symbol.dispose]()
  vi.useRealTimers()
})

type Seen = { verdict?: DispatchObservation['verdict']; monitorMs?: number | undefined }

/** The pause between two looks at a dispatch like that, if the monitor looks there in `monitorMs`. */
async function pauseOf(told: Partial<Dispatch>, { verdict, monitorMs }: Seen): Promise<number> {
  const { context } = scene
  const { db, clock } = context
  const place = { workspaceId: 'ranch', harness: 'claude-code', cwd: '/' }
  const runtime = newRuntime({ ...place, runtimeId: 'rt_1', role: 'fence', socket: '/s' }, 1)
  const ready = runtimeIn('ready', runtime)
  saveRuntime(db, ready)
  const task = { id: 'dsp_1', name: 'fence', runtimeId: 'rt_1', reviewer: undefined }
  const made = newDispatch({ ...place, ...task, prompt: 'Go on.', by: 'ana' }, clock.now())
  saveDispatch(db, { ...made, state: 'working', validatedAt: clock.now(), ...told })
  const looks: number[] = []
  const seen = { runtime: ready, ending: 'said', composer: { kind: 'empty' }, dialog: 'none' }
  const look = async () => {
    looks.push(clock.now())
    const nextLookAt = monitorMs === undefined ? undefined : clock.now() + monitorMs
    return { observed: { ...seen, verdict, screen: '', isListed: false }, nextLookAt }
  }
  await using dispatches = new Dispatches({
    context,
    registry: createRegistry(context),
    observer: { look },
    triggers: { onSettled: () => {} },
    mutex: new KeyedMutex(),
  } as unknown as DispatchParts)
  dispatches.recover()
  while (looks.length < 2 && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
  const [first = 0, second = 0] = looks
  return second - first
}

describe('a dispatch is looked at again', () => {
  test.each<[string, number | undefined, number]>([
    ['when the monitor looks there next', 30_000, 30_000],
    ['after a second at the earliest', 10, 1_000],
    ['after a minute at the latest', 300_000, 60_000],
    ['after a second, if the monitor does not know it', undefined, 1_000],
  ])('%s', async (_, monitorMs, pauseMs) => {
    expect(await pauseOf({}, { verdict: WORKING, monitorMs })).toBe(pauseMs)
  })

  test('after a second while nobody can see what it does', async () => {
    expect(await pauseOf({}, { verdict: undefined, monitorMs: 30_000 })).toBe(1_000)
  })

  test('as soon as the end of its turn counts', async () => {
    const verdict = { ...ENDED, since: scene.context.clock.now(), by: 'hook', why: 'Stop' } as const
    const { settleMs } = scene.context.settings.dispatch
    expect(await pauseOf({}, { verdict, monitorMs: 30_000 })).toBe(settleMs)
  })
})
