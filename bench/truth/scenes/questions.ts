import type { ModelServer } from '../../../test/real-client/support/model/model-server.ts'
import {
  askUser,
  exitPlanMode,
  say,
  tool,
  uses,
} from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn } from './beats.ts'

export async function askQuestions(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)

  lane.scene('AskUserQuestion answered')
  const question = askUser('Which trail?', ['North', 'South'])
  await lane.prompt(lane.thinks(question), lane.thinks(say('North it is.')))
  await asked(lane)
  await lane.agent.choose(/^North/)
  await goesOn(lane)

  lane.scene('AskUserQuestion escaped')
  await lane.prompt(lane.thinks(askUser('Which river?', ['Wide', 'Deep'])))
  await asked(lane)
  await lane.agent.press('Escape')
  await comesToRest(lane)

  lane.scene('two tools in one message')
  const two = uses(
    tool('Bash', { command: 'touch first && sleep 5', description: 'First' }),
    tool('Bash', { command: 'touch second && sleep 5', description: 'Second' }),
  )
  await lane.prompt(lane.thinks(two), lane.thinks(say('Both.')))
  await lane.asksAbout(/touch first/)
  await lane.human()
  await lane.agent.approve()
  await lane.asksAbout(/touch second/)
  await lane.human()
  await lane.agent.approve()
  await goesOn(lane)
}

export async function makePlans(lane: Lane, model: ModelServer): Promise<void> {
  await lane.start({ permissionMode: 'plan', cwd: lane.strangeDirectory() })
  lane.scene('asks for trust at its start')
  await asked(lane)
  await lane.agent.choose(/^Yes, I trust/)
  await lane.rests()
  await lane.lasts(4)

  lane.scene('plan rejected')
  await lane.prompt(lane.thinks(exitPlanMode()))
  await asked(lane)
  await lane.agent.press('Escape')
  await comesToRest(lane)

  lane.scene('claude -p in its pane')
  model.plan('Headless', lane.thinks(say('Nobody reads this.')))
  await lane.runsHeadless('Headless')
  await lane.lasts(2)

  lane.scene('plan approved')
  await lane.prompt(lane.thinks(exitPlanMode()), lane.thinks(say('On it.')))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)
}
