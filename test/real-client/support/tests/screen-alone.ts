import { describe, expect } from 'vitest'
import type { PromptedProgram } from '../agents/pane-program.ts'
import { endCommand, LONG_COMMAND } from '../long-command.ts'
import { apiError, createGate, type Reply, say } from '../model/reply.ts'
import type { programTest } from './program-test.ts'

export type ScreenAlone<Agent> = {
  title: string
  harness: string
  running(command: string): Reply
  writing(path: string, text: string): Reply
  asking(question: string, choices: string[]): Reply
  interrupt(agent: Agent): Promise<void>
  /** What it shows of a refused key; the model's own words by default. */
  refused?: string
}

/** What holds of every harness that only its screen speaks for. One agent plays all of it. */
export function describeScreenAlone<Agent extends PromptedProgram>(
  test: ReturnType<typeof programTest<Agent>>,
  {
    title,
    harness,
    running,
    writing,
    asking,
    interrupt,
    refused = 'no such key',
  }: ScreenAlone<Agent>,
): void {
  describe(`${title} that knows nothing of Trail Boss`, () => {
    test('is not listed before its first turn, and is after it', async ({ agent, real }) => {
      const gate = createGate()
      await agent.prompt('Say hello', say('Hello, operator.', { before: gate }))
      expect((await real.world.queue()).map(({ pane }) => pane?.id)).not.toContain(agent.pane.id)
      gate.open()
      const item = await real.listed(agent)
      expect(item).toMatchObject({ harness, reason: 'stopped', pane: agent.pane })
      expect(item.ask.text).toContain('Hello, operator.')
    })

    test('is listed with what it asks, and gone when that is approved', async ({ agent, real }) => {
      await agent.prompt('Run it', running(LONG_COMMAND), say('It ran.'))
      const item = await real.listed(agent, ({ ask }) => ask.text.includes(LONG_COMMAND))
      expect(item.reason).toBe('permission')
      await agent.approve()
      await real.gone(agent)
      endCommand(agent)
      await real.listed(agent, ({ reason }) => reason === 'stopped')
    })

    test('is listed with a change, and as stopped when that is denied', async ({ agent, real }) => {
      await agent.prompt('Write it', writing(`${agent.cwd}/a.txt`, 'one\n'), say('Written.'))
      await real.listed(agent, ({ reason, ask }) => {
        return reason === 'permission' && ask.text.includes('a.txt')
      })
      await agent.deny()
      await real.listed(agent, ({ reason }) => reason === 'stopped')
    })

    test('is listed with a question', async ({ agent, real }) => {
      await agent.prompt('Ask me', asking('Which colour?', ['Red', 'Blue']), say('Red it is.'))
      await real.listed(agent, ({ reason, ask }) => {
        return reason === 'permission' && ask.text.includes('Which colour?')
      })
      await agent.approve()
      await real.listed(agent, ({ reason }) => reason === 'stopped')
    })

    test('is listed when it was interrupted', async ({ agent, real }) => {
      const gate = createGate()
      await agent.prompt('Think long', say('Never said.', { before: gate }))
      await real.gone(agent)
      await interrupt(agent)
      await real.listed(agent, ({ reason }) => reason === 'stopped')
      gate.open()
    })

    test('is listed with the error when a request failed', async ({ agent, real }) => {
      await agent.prompt('Fail', apiError(401, { message: 'no such key' }))
      const item = await real.listed(agent, ({ ask }) => ask.text.includes(refused))
      expect(item.reason).toBe('stopped')
    })

    test('is gone from the list when it has ended', async ({ agent, real }) => {
      await real.listed(agent)
      await agent.exit()
      await real.gone(agent)
    })
  })
}
