import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { claudeIn } from '../../test/real-client/support/claude-command.ts'
import type { Witnessed } from '../../test/real-client/support/model/model-dialect.ts'
import { createRealWorld } from '../../test/real-client/support/real-world.ts'
import { ControlClient } from '../control-client.ts'
import { type Diary, Lane, notingKeys } from './lane.ts'
import { QueueLog, type QueueSight } from './queue-log.ts'
import { type RecordedHook, type RecordedLine, recordHooks, TranscriptLog } from './recording.ts'
import { LANES } from './scenes.ts'
import { type Seen, Witness } from './witness.ts'

/** Everything recorded during one run of the script. */
export type Performance = {
  diary: Diary
  /** By pane. */
  seen: Map<string, Seen[]>
  requests: Witnessed[]
  queue: QueueSight[]
  hooks: RecordedHook[]
  lines: RecordedLine[]
  /** Where the script could not continue; everything before that still counts. */
  failures: unknown[]
  endedAt: number
}

/** A start takes a second of a core, so staggering the lanes keeps them from disturbing each other. */
const APART_MS = 2_500

/** Plays the lanes side by side, in their own world. */
export async function perform(options: {
  hooks: boolean
  lanes: string[]
  pace: number
}): Promise<Performance> {
  await using real = await createRealWorld({ hooks: options.hooks })
  const { world, model } = real
  await using _background = claudeIn(real)
  const recorder = options.hooks ? recordHooks(world.home, join(world.dir, 'recorded')) : undefined
  const diary: Diary = { keys: [], lives: [], scenes: [] }
  const control = new ControlClient(world.tmux.socket, 'work', {
    env: world.env,
    flags: 'ignore-size',
  })
  using transcripts = new TranscriptLog(world.home)
  using witness = new Witness(control)
  await using queue = new QueueLog(join(world.state, 'trailboss.sock'))
  const server = notingKeys(world.tmux, diary.keys)
  const stage = { real, server, witness, diary, pace: options.pace }
  const failures = await playAll(options.lanes, async (name) => {
    const lane = new Lane(name, stage)
    await LANES[name]?.(lane, model).finally(() => lane.leaves())
  })
  const endedAt = Date.now()
  control[Symbol.dispose]()
  const panes = new Set(diary.lives.map(({ pane }) => pane))
  return {
    diary,
    seen: new Map([...panes].map((pane) => [pane, witness.watch(pane).seen])),
    requests: model.log,
    queue: queue.sights,
    hooks: recorder?.read() ?? [],
    lines: transcripts.lines,
    failures,
    endedAt,
  }
}

/** Returns what went wrong. */
async function playAll(names: string[], play: (name: string) => Promise<void>): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(
    names.map(async (name, index) => {
      await delay(index * APART_MS)
      await play(name)
    }),
  )
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
}
