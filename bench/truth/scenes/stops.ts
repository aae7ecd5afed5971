import { apiError, bash, createGate, say } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn } from './beats.ts'

export async function interrupt(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)

  lane.scene('Esc mid-stream')
  await lane.prompt(say('One two three four five six seven eight.', { midway: createGate() }))
  await lane.lasts(8)
  await lane.agent.press('Escape')
  await comesToRest(lane)

  lane.scene('Esc in a running tool')
  await lane.prompt(lane.thinks(bash('touch running && sleep 60')))
  await asked(lane)
  await lane.agent.approve()
  await lane.works()
  await lane.lasts(8)
  await lane.agent.press('Escape')
  await comesToRest(lane)

  lane.scene('Esc before the first token')
  await lane.prompt(say('Never said.', { before: createGate() }))
  await lane.lasts(8)
  await lane.agent.press('Escape')
  await comesToRest(lane)
  await lane.agent.press('C-u')

  lane.scene('queued prompts')
  await lane.prompt(lane.thinks(say('The first one.')))
  await lane.lasts(2)
  await lane.prompt(lane.thinks(say('The second one.')))
  await comesToRest(lane)

  lane.scene('!cmd')
  await lane.enter('!sleep 8; echo hi')
  await goesOn(lane)
}

export async function fail(lane: Lane): Promise<void> {
  await lane.start({ env: { CLAUDE_CODE_MAX_RETRIES: '4' } })
  await lane.lasts(3)

  lane.scene('API error 400')
  await lane.prompt(lane.thinks(bash('echo so far')), apiError(400))
  await comesToRest(lane)

  lane.scene('API error 401')
  await lane.prompt(apiError(401))
  await comesToRest(lane)

  lane.scene('API error 529')
  await lane.prompt(apiError(529))
  await comesToRest(lane)

  lane.scene('retrying 500')
  await lane.prompt(apiError(500, { times: 4 }), lane.thinks(say('At last.')))
  await comesToRest(lane)
}
