import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ModelServer } from '../../test/real-client/support/model-server.ts'
import {
  apiError,
  askUser,
  bash,
  createGate,
  edit,
  exitPlanMode,
  mcp,
  read,
  say,
  startSubagent,
  tool,
  uses,
  write,
} from '../../test/real-client/support/reply.ts'
import type { Lane } from './lane.ts'

export type Scenes = (lane: Lane, model: ModelServer) => Promise<void>

/** Each runs in a pane of its own, all of them side by side. */
export const LANES: Record<string, Scenes> = {
  commands: runCommands,
  files: changeFiles,
  tools: useMcp,
  questions: askQuestions,
  plans: makePlans,
  interrupts: interrupt,
  errors: fail,
  background: runInBackground,
  subagents: delegate,
  dialogs: useCommands,
  again: comeBack,
  ends: end,
}

async function turn(lane: Lane): Promise<void> {
  lane.scene('a turn of text')
  await lane.prompt(lane.thinks(say('That is done.')))
  await comesToRest(lane)
}

/** It asks something, and the human takes a while to come. */
async function asked(lane: Lane): Promise<void> {
  await lane.asks()
  await lane.human()
}

async function goesOn(lane: Lane): Promise<void> {
  await lane.works()
  await comesToRest(lane)
}

async function comesToRest(lane: Lane): Promise<void> {
  await lane.rests()
  await lane.human()
}

async function runCommands(lane: Lane): Promise<void> {
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

async function changeFiles(lane: Lane): Promise<void> {
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

async function useMcp(lane: Lane): Promise<void> {
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

async function askQuestions(lane: Lane): Promise<void> {
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

async function makePlans(lane: Lane, model: ModelServer): Promise<void> {
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

async function interrupt(lane: Lane): Promise<void> {
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

async function fail(lane: Lane): Promise<void> {
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

async function runInBackground(lane: Lane): Promise<void> {
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

async function delegate(lane: Lane, model: ModelServer): Promise<void> {
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

async function useCommands(lane: Lane, model: ModelServer): Promise<void> {
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

async function comeBack(lane: Lane): Promise<void> {
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

async function end(lane: Lane): Promise<void> {
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
