import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bash, edit, mcp, read, say, write } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn, turn } from './beats.ts'

export async function runCommands(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(4)
  await turn(lane)

  lane.scene('Bash approved, runs 20 s')
  await lane.prompt(
    lane.thinks(bash('touch here && sleep 20 && echo ran')),
    lane.thinks(say('Ran.')),
  )
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)

  lane.scene('Bash denied')
  await lane.prompt(lane.thinks(bash('touch denied')))
  await asked(lane)
  await lane.agent.deny()
  await comesToRest(lane)

  lane.scene('Bash denied with feedback')
  await lane.prompt(lane.thinks(bash('touch feedback')), lane.thinks(say('Otherwise, then.')))
  await asked(lane)
  await lane.agent.denyWithFeedback('use the other one')
  await goesOn(lane)

  lane.scene('Bash escaped')
  await lane.prompt(lane.thinks(bash('touch escaped')))
  await asked(lane)
  await lane.agent.press('Escape')
  await comesToRest(lane)
}

export async function changeFiles(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)
  const file = join(lane.agent.cwd, 'herd.txt')
  writeFileSync(file, 'forty cows\n')

  lane.scene('Write approved')
  const other = join(lane.agent.cwd, 'new.txt')
  await lane.prompt(lane.thinks(write(other, 'one horse\n')), lane.thinks(say('Written.')))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)

  lane.scene('Edit approved')
  const change = edit(file, 'forty', 'fifty')
  await lane.prompt(read(file), lane.thinks(change), lane.thinks(say('Edited.')))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)

  lane.scene('Write denied')
  await lane.prompt(lane.thinks(write(join(lane.agent.cwd, 'no.txt'), 'no\n')))
  await asked(lane)
  await lane.agent.deny()
  await comesToRest(lane)

  lane.scene('Edit escaped')
  await lane.prompt(read(file), lane.thinks(edit(file, 'fifty', 'sixty')))
  await asked(lane)
  await lane.agent.press('Escape')
  await comesToRest(lane)
}

export async function useMcp(lane: Lane): Promise<void> {
  await lane.start({ mcp: true })
  await lane.lasts(3)

  lane.scene('MCP tool approved')
  await lane.prompt(lane.thinks(mcp('note', { text: 'hay' })), lane.thinks(say('Noted.')))
  await asked(lane)
  await lane.agent.approve()
  await goesOn(lane)

  lane.scene('MCP tool denied')
  await lane.prompt(lane.thinks(mcp('note', { text: 'oats' })))
  await asked(lane)
  await lane.agent.deny()
  await comesToRest(lane)

  lane.scene('elicitation answered')
  await lane.prompt(lane.thinks(mcp('choose')), lane.thinks(say('Saddled.')))
  await asked(lane)
  await lane.agent.approve()
  await lane.asksAbout(/Which horse/)
  await lane.human()
  for (const key of ['Right', 'Enter', 'Enter']) {
    await lane.agent.press(key)
    await delay(500)
  }
  await goesOn(lane)

  lane.scene('elicitation escaped')
  await lane.prompt(lane.thinks(mcp('choose')), lane.thinks(say('No horse.')))
  await asked(lane)
  await lane.agent.approve()
  await lane.asksAbout(/Which horse/)
  await lane.human()
  await lane.agent.press('Escape')
  await goesOn(lane)
}
