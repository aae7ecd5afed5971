import type { ModelServer } from '../../../test/real-client/support/model/model-server.ts'
import { bash, createGate, say } from '../../../test/real-client/support/model/reply.ts'
import type { Lane } from '../lane.ts'
import { asked, comesToRest, goesOn, turn } from './beats.ts'

export async function useCommands(lane: Lane, model: ModelServer): Promise<void> {
  await lane.start()
  await lane.lasts(3)
  await turn(lane)

  lane.scene('/clear')
  await lane.clear()
  await lane.lasts(8)
  await turn(lane)

  lane.scene('/compact')
  model.plan('Respond with TEXT ONLY', lane.thinks(say('<summary>Short.</summary>')))
  await lane.enter('/compact')
  await goesOn(lane)

  lane.scene('/model dialog')
  await lane.enter('/model')
  await asked(lane)
  await lane.agent.press('Escape')
  await comesToRest(lane)
}

export async function moveToBackground(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)
  await turn(lane)

  lane.scene('moved to the background, finished')
  await lane.inBackground(async () => {
    await lane.human()
    await turn(lane)

    lane.scene('in the background: Bash approved')
    await lane.prompt(lane.thinks(bash('touch moved')), lane.thinks(say('Moved.')))
    await asked(lane)
    await lane.agent.approve()
    await goesOn(lane)
  })
}

export async function comeBack(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)
  await turn(lane)
  const { session } = lane

  lane.scene('/exit, --resume')
  await lane.ends(() => lane.enter('/exit'))
  await lane.lasts(5)
  await lane.startsAgain(['--resume', session], session)
  await lane.lasts(5)
  await turn(lane)

  lane.scene('Ctrl-C twice, --continue')
  await lane.ends(async () => {
    await lane.agent.press('C-c')
    await lane.lasts(0.5)
    await lane.agent.press('C-c')
  })
  await lane.lasts(5)
  await lane.startsAgain(['--continue'], session)
  await lane.lasts(5)
  await turn(lane)

  lane.scene('SIGTERM, --continue --fork-session')
  await lane.ends(async () => void process.kill(lane.agent.pid, 'SIGTERM'))
  await lane.lasts(5)
  await lane.startsAgain(['--continue', '--fork-session'], '')
  await lane.lasts(5)
  await turn(lane)

  lane.scene('SIGHUP')
  await lane.ends(async () => void process.kill(lane.agent.pid, 'SIGHUP'))
}

export async function end(lane: Lane): Promise<void> {
  await lane.start()
  await lane.lasts(3)

  lane.scene('Ctrl-Z while it works, fg')
  await lane.prompt(lane.thinks(say('Back again.'), 25))
  await lane.lasts(6)
  await lane.agent.suspend()
  await lane.isSuspended()
  await lane.human()
  await lane.agent.foreground()
  await goesOn(lane)

  lane.scene('SIGKILL while it waits')
  await lane.ends(async () => void process.kill(lane.agent.pid, 'SIGKILL'))
  await lane.lasts(10)

  await lane.start()
  await lane.lasts(3)
  lane.scene('SIGKILL while it works')
  await lane.prompt(say('Never said.', { before: createGate() }))
  await lane.lasts(8)
  await lane.ends(async () => void process.kill(lane.agent.pid, 'SIGKILL'))
  await lane.lasts(10)
}
