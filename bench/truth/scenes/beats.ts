import { say } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'

export async function turn(lane: Lane): Promise<void> {
  lane.scene('a turn of text')
  await lane.prompt(lane.thinks(say('That is done.')))
  await comesToRest(lane)
}

/** The session asks something, and the human takes a while to come. */
export async function asked(lane: Lane): Promise<void> {
  await lane.asks()
  await lane.human()
}

export async function goesOn(lane: Lane): Promise<void> {
  await lane.works()
  await comesToRest(lane)
}

export async function comesToRest(lane: Lane): Promise<void> {
  await lane.rests()
  await lane.human()
}
