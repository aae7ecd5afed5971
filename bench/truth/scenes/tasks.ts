import type { ModelServer } from '../../../test/real-client/support/model/model-server.ts'
import { bash, say, startSubagent } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn } from './beats.ts'

export async function runInBackground(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)

  lane.scene('background shell, then its notification')
  const shell = bash('touch bg && sleep 25 && echo bgdone', { run_in_background: true })
  await lane.prompt(lane.thinks(shell), lane.thinks(say('Started.')))
  await asked(lane)
  await lane.agent.approve()
  await lane.works()
  await lane.rests()
  await goesOn(lane)
}

export async function delegate(lane: Lane, model: ModelServer): Promise<void> {
  await lane.start()
  await lane.lasts(3)

  lane.scene('subagent runs after the main Stop')
  model.plan('Inner one', lane.thinks(say('Inner result.'), 15))
  await lane.prompt(lane.thinks(startSubagent('Inner one')), lane.thinks(say('Launched.'), 3))
  await comesToRest(lane)

  lane.scene('subagent blocked after the main Stop')
  model.plan('Inner two', lane.thinks(bash('touch inner-two && sleep 8'), 12), say('Inner two.'))
  await lane.prompt(lane.thinks(startSubagent('Inner two')), lane.thinks(say('Launched.'), 3))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)

  lane.scene('subagent blocked before the main Stop')
  model.plan('Inner three', bash('touch inner-three && sleep 8'), say('Inner three.'))
  await lane.prompt(lane.thinks(startSubagent('Inner three')), lane.thinks(say('Launched.'), 6))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)
}
