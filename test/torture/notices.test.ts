import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { NoticesView } from '../../src/contract/notice.ts'
import type { Notice } from '../../src/core/notice/notice-text.ts'
import { command } from '../support/command.ts'
import { createWorld } from '../support/create-world.ts'
import { hasDesktop, linesIn, startDesktop } from '../support/notice/desktop.ts'
import { isAlive } from '../support/processes.ts'
import { randomFrom } from '../support/random.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const EPISODES = Number(process.env['TORTURE_EPISODES'] ?? 100)
const KILL_EVERY = 12
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)

/** Before it is announced nothing may be lost, after that nothing repeated. */
type Kill = 'no' | 'before' | 'after'

test(`${EPISODES} waits are announced once each on every channel, through kill -9 (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  await using world = await createWorld({ up: false })
  const files = { command: join(world.dir, 'notices'), terminal: join(world.dir, 'bytes') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const isDesktop = hasDesktop()
  await using desktop = isDesktop ? await startDesktop(world.dir) : undefined
  if (desktop) world.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address
  const notify = {
    channels: ['command', 'osc9', ...(isDesktop ? ['desktop'] : [])],
    command: ['/bin/sh', '-c', 'cat >> "$0"', files.command],
    ...{ afterSeconds: 0, togetherSeconds: 0 },
  }
  writeFileSync(join(world.state, 'config.json'), JSON.stringify({ notify }))
  const pipe = ['pipe-pane', '-t', 'terminal:', `exec cat >> '${files.terminal}'`]
  await command(TMUX, ['-S', join(world.dir, 't0'), ...pipe], { env: world.env })
  await world.up()
  let daemon = await world.daemonPid()

  const restart = async () => {
    process.kill(daemon, 'SIGKILL')
    await waitFor(() => !isAlive(daemon), { what: 'the daemon to be gone' })
    await world.up()
    daemon = await world.daemonPid()
  }
  const report = async (event: Record<string, unknown>) => {
    const body = { v: 1, harness: 'my-agent', at: Date.now(), source: 'api', ...event }
    const { status } = await world.http('/v1/events', { method: 'POST', body })
    expect(status).toBe(202)
  }
  /** How often each channel has named it. */
  const named = (ask: string): Record<string, number> => {
    const lines = linesIn(files.command).map((line) => JSON.parse(line) as Notice)
    const bytes = readFileSync(files.terminal, 'utf8')
    return {
      command: lines.filter(({ items }) => items.some((item) => item.ask === ask)).length,
      osc9: bytes.split(`: ${ask})\u001b\\`).length - 1,
      ...(desktop && {
        desktop: desktop.notifications().filter(({ body }) => body.endsWith(`: ${ask}`)).length,
      }),
    }
  }
  const isAnnounced = async (session: string) => {
    const view = JSON.parse((await world.http('/v1/notices')).text) as NoticesView
    return view.waits.some((one) => one.session === session && one.fate.kind === 'announced')
  }

  let kills = 0
  for (let n = 0; n < EPISODES; n++) {
    const session = `agent-${n % 7}`
    const ask = `wait-${n}-of-${EPISODES}`
    const kill: Kill = random() * KILL_EVERY < 1 ? (random() < 0.5 ? 'before' : 'after') : 'no'
    await report({ kind: 'stuck', session, reason: 'permission', block: ask, ask: { text: ask } })
    if (kill === 'before') await restart()
    await waitFor(() => Object.values(named(ask)), {
      what: `${ask} to be announced`,
      until: (counts) => counts.every((count) => count > 0),
    })
    await waitFor(() => isAnnounced(session), { what: `${ask} to be stored` })
    if (kill === 'after') await restart()
    if (kill !== 'no') kills += 1
    await report({ kind: 'unstuck', session, prompt: true })
  }
  const counts = Array.from({ length: EPISODES }, (_, n) => named(`wait-${n}-of-${EPISODES}`))
  const once = Object.fromEntries(notify.channels.map((channel) => [channel, 1]))
  console.log(`${EPISODES} waits, ${kills} kills, channels ${notify.channels.join(', ')}`)
  expect(counts.filter((count) => JSON.stringify(count) !== JSON.stringify(once))).toEqual([])
  expect(linesIn(files.command)).toHaveLength(EPISODES)
}, 180_000)
