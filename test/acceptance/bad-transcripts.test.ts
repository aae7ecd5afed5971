import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect } from 'vitest'
import type { ExplainView } from '../../src/contract/responses.ts'
import type { Agent } from '../support/agent.ts'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** An agent of which nothing but the transcript tells. */
async function silentAgent(world: World): Promise<Agent> {
  const agent = await world.agent('a', { statusFile: false })
  await waitFor(world.sessions, { what: 'it to be known', until: (all) => all.length === 1 })
  await agent.setHooks(false)
  await waitFor(() => statSync(agent.transcript), { what: 'its transcript' })
  return agent
}

/** A whole turn, seen through the transcript alone. */
async function turnIsSeen(world: World, agent: Agent, words: string): Promise<void> {
  await agent.prompt(`Go on after: ${words}`)
  await world.waitForQueue(`its work to be seen after: ${words}`, (q) => q.length === 0)
  await agent.stop(words)
  const [item] = await world.waitForQueue(`its stop to be seen: ${words}`, (q) => q.length === 1)
  expect(item).toMatchObject({ session: agent.session, pane: agent.pane, ask: { text: words } })
}

/** What the daemon's log says of transcripts, oldest first. */
function told(world: World): string[] {
  return world
    .daemonLog()
    .split('\n')
    .filter((line) => line.includes('transcript'))
    .map((line) => JSON.parse(line) as { msg: string; reason?: string; lines?: number })
    .map(({ msg, reason, lines }) => [msg, reason ?? lines].filter(Boolean).join(': '))
}

const isTold = (world: World, message: string, times = 1) =>
  waitFor(() => told(world), {
    what: `the log to say ${times} times: ${message}`,
    until: (all) => all.filter((line) => line === message).length === times,
  })

const stopRecord = (words: string): string => {
  const content = [{ type: 'text', text: words }]
  const message = { id: words, role: 'assistant', content, stop_reason: 'end_turn' }
  return JSON.stringify({ type: 'assistant', message, timestamp: new Date().toISOString() })
}

describe('a damaged transcript costs what is damaged, and nothing after it', () => {
  test('spliced lines, NUL runs, a half-written tail', async ({ world }) => {
    const agent = await silentAgent(world)
    const pid = await world.daemonPid()
    await turnIsSeen(world, agent, 'All is well.')
    expect(told(world)).toEqual([])

    appendFileSync(agent.transcript, '{"type":"assistant","message":{"content":[{"type":"te')
    await turnIsSeen(world, agent, 'After a spliced line.')
    await isTold(world, 'damaged transcript lines skipped: 1')

    appendFileSync(agent.transcript, '\0'.repeat(10_000))
    await turnIsSeen(world, agent, 'After a run of NUL.')
    appendFileSync(agent.transcript, `${'\0'.repeat(300_000)}\n[1,2\nnull\n"x"\n`)
    await turnIsSeen(world, agent, 'After more of that.')

    await agent.prompt('Half a line')
    await world.waitForQueue('its work to be seen', (q) => q.length === 0)
    const whole = `${stopRecord('Written in two halves.')}\n`
    const before = await bytesRead(world)
    appendFileSync(agent.transcript, whole.slice(0, 60))
    await waitFor(() => bytesRead(world), { what: 'half of it', until: (read) => read > before })
    expect(await world.queue()).toEqual([])
    appendFileSync(agent.transcript, whole.slice(60))
    const [item] = await world.waitForQueue('the other half', (q) => q.length === 1)
    expect(item?.ask.text).toBe('Written in two halves.')
    expect(await world.daemonPid()).toBe(pid)
  })

  test('a file that is replaced, cut short, deleted', async ({ world }) => {
    const agent = await silentAgent(world)
    const { transcript } = agent
    await turnIsSeen(world, agent, 'All is well.')

    writeFileSync(`${transcript}.new`, readFileSync(transcript))
    renameSync(`${transcript}.new`, transcript)
    await isTold(world, 'transcript replaced by another file')
    await turnIsSeen(world, agent, 'In a new file.')

    truncateSync(transcript, 10)
    await isTold(world, 'transcript replaced by another file', 2)
    await turnIsSeen(world, agent, 'Cut short.')

    rmSync(transcript)
    await isTold(world, 'transcript not readable: it is gone')
    expect(await world.queue()).toHaveLength(1)
    await turnIsSeen(world, agent, 'Begun anew.')
    expect(told(world)).toContain('transcript readable again')
  })

  test('something else in its place: said once, what was known stands, and it goes on after', async ({
    world,
  }) => {
    const agent = await silentAgent(world)
    const { transcript } = agent
    await turnIsSeen(world, agent, 'All is well.')
    const put: [string, () => unknown, RegExp][] = [
      ['a directory', () => mkdirSync(transcript), /not a regular file/],
      ['a FIFO', () => execFileSync('mkfifo', [transcript]), /not a regular file/],
      ['a loop of links', () => symlinkSync(transcript, transcript), /ELOOP/],
    ]
    for (const [what, place, reason] of put) {
      renameSync(transcript, `${transcript}.away`)
      place()
      await waitFor(() => told(world), {
        what: `the log to tell of ${what}`,
        until: (all) =>
          /^transcript not readable/.test(all.at(-1) ?? '') && reason.test(all.at(-1)!),
      })
      expect(await world.queue()).toHaveLength(1)
      const { missing } = await world.json<ExplainView>('explain', agent.session)
      expect(missing.join('\n')).toMatch(/Its transcript .* cannot be read/)
      rmSync(transcript, { recursive: true })
      renameSync(`${transcript}.away`, transcript)
      await turnIsSeen(world, agent, `After ${what}.`)
    }
    const complaints = told(world).filter((line) => /regular file|ELOOP/.test(line))
    expect(complaints).toHaveLength(put.length)
  })

  test('200 MB: a start reads the end of it alone, and a turn what the turn wrote', async ({
    world,
  }) => {
    const agent = await silentAgent(world)
    await world.trailboss('down')
    const record = `${JSON.stringify({ type: 'progress', data: 'x'.repeat(1_000) })}\n`
    const megabyte = record.repeat(Math.ceil(1_048_576 / record.length))
    for (let written = 0; written < 200; written++) appendFileSync(agent.transcript, megabyte)
    await agent.stop('Said after 200 MB.')
    await waitFor(() => readFileEnd(agent.transcript), {
      what: 'its last words to be on disk',
      until: (end) => end.includes('turn_duration'),
    })

    await world.up()
    const [item] = await world.waitForQueue('it to be queued', (q) => q.length === 1)
    expect(item?.ask.text).toBe('Said after 200 MB.')
    const atStart = await bytesRead(world)
    expect(atStart).toBeLessThan(1_048_576)
    await turnIsSeen(world, agent, 'And one more.')
    expect((await bytesRead(world)) - atStart).toBeLessThan(32_768)
  })
})

async function bytesRead(world: World): Promise<number> {
  const { text } = await world.http('/metrics')
  return Number(/^trailboss_transcript_bytes_read_total (\d+)$/m.exec(text)?.[1])
}

function readFileEnd(file: string): string {
  return execFileSync('tail', ['-c', '4096', file], { encoding: 'utf8' })
}
