import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { World } from '../../support/create-world.ts'
import { actUntil } from '../../support/wait-for.ts'
import { startCodex, writeCodexHome } from '../support/agents/codex-agent.ts'
import { startGemini, writeGeminiHome } from '../support/agents/gemini-agent.ts'
import { startOpencode, writeOpencodeHome } from '../support/agents/opencode-agent.ts'
import { CODEX, cachedClient, GEMINI, OPENCODE } from '../support/client.ts'
import { CHAT } from '../support/model/chat-dialect.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { GEMINI_API } from '../support/model/gemini-dialect.ts'
import { shell } from '../support/model/gemini-replies.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { bash as opencodeBash } from '../support/model/opencode-replies.ts'
import { bash, createGate, say } from '../support/model/reply.ts'
import { RESPONSES } from '../support/model/responses-dialect.ts'
import { createRealWorld } from '../support/real-world.ts'

test('five kinds of programs in one tmux session are one queue, and Next drains it', async () => {
  await using real = await createRealWorld()
  const { world } = real
  await using forCodex = await startModelServer(RESPONSES)
  await using forOpencode = await startModelServer(CHAT)
  await using forGemini = await startModelServer(GEMINI_API)
  const places = { ...world, server: world.tmux }
  mkdirSync(join(world.dir, 'projects', 'codex'))
  writeCodexHome({ ...places, model: forCodex })
  writeOpencodeHome(world.home, forOpencode)
  writeGeminiHome(world.home)
  for (const harness of ['codex', 'opencode', 'gemini']) {
    const { code, stderr } = await world.trailboss('install', harness, '--yes')
    expect(stderr.concat(String(code))).toMatch(/0$/)
  }

  const claude = await real.start('claude')
  await using codex = await startCodex('codex', {
    ...places,
    model: forCodex,
    binary: cachedClient(CODEX).binary,
  })
  await using opencode = await startOpencode('opencode', {
    ...places,
    model: forOpencode,
    binary: cachedClient(OPENCODE).binary,
  })
  await using gemini = await startGemini('gemini', {
    ...places,
    model: forGemini,
    binary: cachedClient(GEMINI).binary,
  })

  const afterwards = createGate()
  const done = say('All done.', { before: afterwards })
  const order: string[] = []
  const isNext = async (pane: string) => {
    order.push(pane)
    await world.waitForQueue(`${order.length} to be listed`, (items) => {
      return items.map((item) => item.pane?.id).join() === order.join()
    })
  }
  await claude.prompt('Feed the horses', bash('touch fed-by-claude'), done)
  await isNext(claude.pane.id)
  await codex.prompt('Feed the cattle', escalated('touch /fed-by-codex'), done)
  await isNext(codex.pane.id)
  await opencode.prompt('Feed the dogs', opencodeBash('touch fed-by-opencode'), done)
  await isNext(opencode.pane.id)
  await gemini.prompt('Feed the hens', shell('touch fed-by-gemini'), done)
  await isNext(gemini.pane.id)
  const installer = await startInstaller(world)
  await isNext(installer)

  const items = await world.queue()
  expect(items.map(({ harness }) => harness)).toEqual([
    'claude-code',
    'codex',
    'opencode',
    'gemini',
    'program',
  ])
  const asks = ['fed-by-claude', 'fed-by-codex', 'fed-by-opencode', 'fed-by-gemini', '[y/N]']
  for (const [index, text] of asks.entries()) expect(items[index]?.ask.text).toContain(text)

  for (const [index, pane] of order.entries()) {
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn({ socket: world.tmux.socket, id: pane })
    if (pane === installer) await world.operator.type('y')
    await answered(world, pane)
    await world.waitForQueue('the answered one to be gone', (left) => {
      return left.map((item) => item.pane?.id).join() === order.slice(index + 1).join()
    })
  }

  afterwards.open()
  await world.waitForQueue('the four agents to have finished', (left) => {
    return left.length === 4 && left.every((item) => item.ask.text.includes('All done.'))
  })
})

/** Enter, and once more where it was lost: whoever comes to look may meet a program that draws itself. */
async function answered(world: World, pane: string): Promise<void> {
  await actUntil(
    () => world.operator.press('Enter'),
    async () => !(await world.queue()).some((item) => item.pane?.id === pane),
    { what: `the dialog of ${pane} to be answered`, againMs: 8_000, timeoutMs: 60_000 },
  )
}

/** A plain program that the operator wants to have watched. */
async function startInstaller(world: World): Promise<string> {
  const file = join(world.dir, 'installer')
  writeFileSync(file, 'printf "Remove the old fence? [y/N] "; read -r line; exec sleep 1000\n')
  const where = ['-d', '-t', 'work:', '-n', 'installer', '-P', '-F', '#{pane_id}']
  const pane = await world.tmux.run('new-window', ...where, `sh ${file}`)
  await world.trailboss('watch', pane, '--once')
  return pane
}
