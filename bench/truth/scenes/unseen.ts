import { askUser, bash, say } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn } from './beats.ts'

/** Sessions that never had a pane: opened for an answer, and left again. */
export async function startInBackground(lane: Lane): Promise<void> {
  await lane.startUnseen(lane.thinks(bash('touch unseen')), lane.thinks(say('Touched.')))
  lane.scene('Bash approved, left while it works')
  await lane.human()
  await lane.opens('dialog')
  await lane.agent.approve()
  await lane.works()
  await lane.closes()
  await lane.fallsSilent(2)

  lane.scene('finished, then prompted again and left')
  await lane.human()
  await lane.opens('prompt')
  await lane.prompt(lane.thinks(bash('touch never')))
  await lane.closes()
  await lane.fallsSilent(1)

  lane.scene('Bash denied, left at rest')
  await lane.human()
  await lane.opens('dialog')
  await lane.agent.deny()
  await lane.rests()
  await lane.closes()
  await lane.human()

  lane.scene('stopped')
  await lane.stops()
  await lane.lasts(5)

  await lane.startUnseen(
    lane.thinks(askUser('Which pass?', ['High', 'Low'])),
    lane.thinks(say('The high one.')),
  )
  lane.scene('AskUserQuestion answered, left while it works')
  await lane.human()
  await lane.opens('dialog')
  await lane.agent.choose(/^High/)
  await lane.works()
  await lane.closes()
  await lane.fallsSilent(2)
  await lane.human()

  lane.scene('open all the while: a turn, Bash approved')
  await lane.opens('prompt')
  await lane.prompt(lane.thinks(say('Seen, for once.')))
  await comesToRest(lane)
  await lane.prompt(lane.thinks(bash('touch seen')), lane.thinks(say('Touched, too.')))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)
  await lane.closes()
  await lane.human()
}
