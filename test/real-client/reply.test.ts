import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ config: { reply: true } })

test('a finished session gets a reply from the popup: its transcript and its model have it once', async ({
  agent,
  real,
}) => {
  const { operator } = real.world
  await agent.prompt('Shoe the horse', say('The left hind hoof is loose.'))
  await real.listed(agent, ({ label }) => label === 'finished')
  await operator.lookAt(agent.pane)
  await operator.openPopup()
  await operator.press('m')
  await operator.waitToSee(/to \S+: .*↵ send/)
  await operator.type('Begin with that one, then rest.')
  await operator.press('Enter')
  await operator.waitToSee(/Delivered in \d\.\ds \(confirmed by its (hook|transcript)\)/)
  await real.listed(agent, ({ ask }) => ask.text === 'Done.')
  await operator.closePopup()
  const typed = /\[tb:o[a-z0-9]{9}\] Begin with that one, then rest\./g
  const prompts = readFileSync(agent.transcript, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"user"') && line.includes('Begin with that one'))
  expect(prompts).toHaveLength(1)
  expect(prompts[0]).toMatch(typed)
  expect(await agent.screen()).toMatch(typed)
  const asked = real.model.log.filter(({ prompt }) => prompt.includes('Begin with that one'))
  expect(asked).toHaveLength(1)
})

test('a permission dialog refuses a reply, and gets no key', async ({ agent, real }) => {
  const { operator } = real.world
  await agent.prompt('Open the gate', bash('touch gate-opened'), say('It is open.'))
  await real.listed(agent, ({ reason }) => reason === 'permission')
  const before = still(await agent.waitForDialog())
  await operator.openPopup()
  await operator.press('m')
  await operator.waitToSee(/It shows a dialog: go there and answer it\./)
  await operator.closePopup()
  const refused = await real.world.trailboss('reply', agent.session, 'Yes.')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('It shows a dialog: go there and answer it. (REPLY_REFUSED)')
  expect(still(await agent.screen())).toBe(before)
  expect(existsSync(join(agent.cwd, 'gate-opened'))).toBe(false)
  await agent.deny()
  await real.listed(agent, ({ reason }) => reason === 'stopped')
})

test('a draft refuses a reply, and stays as it is', async ({ agent, real }) => {
  await agent.prompt('Count the herd', say('Forty head.'))
  await real.listed(agent, ({ label }) => label === 'finished')
  await real.world.tmux.run('send-keys', '-t', agent.pane.id, '-l', 'half a thought')
  await agent.waitToSee(/half a thought/)
  const refused = await real.world.trailboss('reply', agent.session, 'Yes.')
  expect(refused.stderr).toContain('Its composer has a draft.')
  expect(await agent.screen()).toMatch(/❯\s+half a thought\s*$/m)
})

/** A dot that blinks while a tool waits. */
function still(screen: string): string {
  return screen.replaceAll('●', ' ')
}
