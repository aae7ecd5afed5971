import { setTimeout as delay } from 'node:timers/promises'
import type { QueueItem } from '../src/contract/responses.ts'
import { messageOf } from '../src/core/errors.ts'
import { codexUnderTest } from '../test/real-client/support/agents/codex-agent.ts'
import { geminiUnderTest } from '../test/real-client/support/agents/gemini-agent.ts'
import { opencodeUnderTest } from '../test/real-client/support/agents/opencode-agent.ts'
import type { PromptedProgram } from '../test/real-client/support/agents/pane-program.ts'
import { fetchClient } from '../test/real-client/support/client.ts'
import { escalated } from '../test/real-client/support/model/codex-replies.ts'
import { shell } from '../test/real-client/support/model/gemini-replies.ts'
import { bash } from '../test/real-client/support/model/opencode-replies.ts'
import { apiError, createGate, type Reply, say } from '../test/real-client/support/model/reply.ts'
import {
  createProgramWorld,
  type ProgramUnderTest,
  type ProgramWorld,
} from '../test/real-client/support/program-world.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Bench, type Row, runAlone } from './report.ts'

const ROUNDS = 3
/** If nothing reports a prompt, the monitor looks at the screen after this time at the latest. */
const BUDGET_MS = { hooks: 1_000, screen: 15_000 }

type Candidate<Agent> = {
  underTest(options: { hooks: boolean }): ProgramUnderTest<Agent>
  asking(command: string): Reply
  interrupt(agent: Agent): Promise<void>
}

const pressEscape = (agent: PromptedProgram) => agent.press('Escape')

/**
 * How soon the queue is right after something happens in Codex, opencode and Gemini CLI, reported by hooks and
 * by the screen alone. The figures include the time that the program itself takes to act.
 */
export const harnesses: Bench = {
  name: 'harnesses',
  run: async () => [
    ...(await measure({ underTest: codexUnderTest, asking: escalated, interrupt: pressEscape })),
    ...(await measure({
      underTest: opencodeUnderTest,
      asking: bash,
      interrupt: (agent) => agent.interrupt(),
    })),
    ...(await measure({ underTest: geminiUnderTest, asking: shell, interrupt: pressEscape })),
  ],
}

async function measure<Agent extends PromptedProgram>(candidate: Candidate<Agent>): Promise<Row[]> {
  const rows: Row[] = []
  for (const hooks of [true, false]) {
    const underTest = candidate.underTest({ hooks })
    const { title } = underTest.program
    const name = `${title}, ${hooks ? 'with hooks' : 'by its screen alone'}`
    const fetched = await fetchClient(underTest.program)
    if ('unavailable' in fetched) {
      rows.push({ name, figures: 'skipped', details: fetched.unavailable })
      continue
    }
    await using real = await createProgramWorld(underTest)
    const agent = await real.start()
    try {
      const latencies = await play(real, agent, candidate)
      rows.push(rowOf(name, latencies, hooks ? BUDGET_MS.hooks : BUDGET_MS.screen))
    } catch (error) {
      const details = `${messageOf(error)}\n${await agent.screen()}`
      rows.push({ name, figures: 'did not get on', details, ok: false })
    }
  }
  return rows
}

function rowOf(name: string, latencies: Record<string, number[]>, budgetMs: number): Row {
  const all = Object.values(latencies).flat()
  const each = Object.entries(latencies).map(([what, samples]) => `${what} ${samples.join(', ')}`)
  return {
    name,
    figures: `at most ${Math.max(...all)} ms (n=${all.length})`,
    details: `${each.join('; ')} ms`,
    budget: `≤ ${budgetMs} ms`,
    ok: all.every((latency) => latency <= budgetMs),
  }
}

async function play<Agent extends PromptedProgram>(
  real: ProgramWorld<Agent>,
  agent: Agent,
  { asking, interrupt }: Candidate<Agent>,
): Promise<Record<string, number[]>> {
  const { model } = real
  const until = (what: string, fits: (item: QueueItem | undefined) => boolean) =>
    rightAt(real, agent, what, fits)
  const isStopped = (item: QueueItem | undefined) => item?.reason === 'stopped'
  const isAsking = (item: QueueItem | undefined) => item?.reason === 'permission'
  const isGone = (item: QueueItem | undefined) => item === undefined
  const answeredAt = async (text: string) =>
    waitFor(() => model.requestsFor(text).at(-1)?.endedAt ?? 0, { what: `the answer to ${text}` })
  const latencies: Record<string, number[]> = {}
  const note = (what: string, from: number, to: number) => {
    latencies[what] = [...(latencies[what] ?? []), to - from]
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const ended = `Say it, ${round}`
    const gate = createGate()
    await agent.prompt(ended, say('Said.', { before: gate }))
    await gate.reached
    await until('work', isGone)
    await delay(1_500)
    gate.open()
    note('turn end', await answeredAt(ended), await until('the end of a turn', isStopped))

    const asked = `Ask for it, ${round}`
    const afterwards = createGate()
    await agent.prompt(asked, asking(`touch fed-${round}`), say('Done.', { before: afterwards }))
    const askedAt = await answeredAt(asked)
    note('permission', askedAt, await until('a permission', isAsking))
    await delay(1_500)
    const gone = until('an approval', isGone)
    await agent.approve()
    note('approval', agent.pressedAt(), await gone)
    await afterwards.reached
    afterwards.open()
    await until('the end of that turn', isStopped)

    const broken = createGate()
    await agent.prompt(`Think, ${round}`, say('Never said.', { before: broken }))
    await broken.reached
    await until('thinking', isGone)
    await delay(1_500)
    await interrupt(agent)
    note('interrupt', agent.pressedAt(), await until('an interrupt', isStopped))
    broken.open()

    const failed = `Fail, ${round}`
    await agent.prompt(failed, apiError(401, { message: `refused ${round}`, times: 9 }))
    const failedAt = await answeredAt(failed)
    const isTold = (item: QueueItem | undefined) => item?.ask.text.includes('refused') ?? false
    note('error', failedAt, await until('an error', isTold))
    await delay(1_000)
  }
  return latencies
}

/** The time at which the queue first looked right. */
async function rightAt<Agent extends PromptedProgram>(
  { world }: ProgramWorld<Agent>,
  { pane, name }: Agent,
  what: string,
  fits: (item: QueueItem | undefined) => boolean,
): Promise<number> {
  const look = async () => {
    const item = (await world.queue()).find((one) => one.pane?.id === pane.id)
    return fits(item) ? Date.now() : 0
  }
  return waitFor(look, {
    what: `the queue to be right about ${what} of ${name}`,
    timeoutMs: 30_000,
  })
}

if (import.meta.main) await runAlone(harnesses)
