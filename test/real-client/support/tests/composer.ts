import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { PaneRef } from '../../../../src/core/pane.ts'
import type { ComposerSight } from '../../../../src/core/supervisor/trigger/composer.ts'
import { adapterFor } from '../../../../src/harness/registry.ts'
import { captureByProcess } from '../../../../src/tmux/server-link/screens.ts'
import type { TmuxServer } from '../../../support/tmux-server.ts'
import { actUntil, waitFor } from '../../../support/wait-for.ts'
import type { ModelServer } from '../model/model-server.ts'
import { createGate, type Reply, say } from '../model/reply.ts'

type Typist = {
  name: string
  pane: PaneRef
  cwd: string
  press(...keys: string[]): Promise<void>
  prompt(text: string, ...replies: Reply[]): Promise<void>
  deny(): Promise<void>
}

type Place = { world: { tmux: TmuxServer }; model: ModelServer }

type ComposerTest<Agent> = (
  name: string,
  act: (context: { agent: Agent; real: Place }) => Promise<void>,
) => void

export type SeenComposer = {
  title: string
  harness: string
  /** A command that it asks about. */
  running(command: string): Reply
}

/** What holds of the composer of every harness that is run in a pane of ours. */
export function describeComposer<Agent extends Typist>(
  test: ComposerTest<Agent>,
  { title, harness, running }: SeenComposer,
): void {
  const sees = (agent: Agent, kind: ComposerSight['kind']) => waitToSee(harness, agent, kind)
  const type = ({ pane }: Agent, { world }: Place, text: string) =>
    world.tmux.run('send-keys', '-t', pane.id, '-l', '--', text)
  const clear = async (agent: Agent) => {
    const erase = async () => {
      await agent.press('C-e')
      await agent.press('-N', '20', 'BSpace')
    }
    const isEmpty = async () => (await sightOf(harness, agent)).kind === 'empty'
    const what = `the composer of ${agent.name} to be cleared`
    await actUntil(erase, isEmpty, { what, timeoutMs: PATIENT_MS })
  }
  const seesDraft = async (agent: Agent, text: string) => {
    await waitFor(() => sightOf(harness, agent), {
      what: `the composer of ${agent.name} to be seen with "${text}"`,
      until: (sight) => sight.kind === 'text' && sight.text === text,
      timeoutMs: PATIENT_MS,
    })
  }

  describe(`the composer of ${title}`, () => {
    test('is seen empty, and with what was typed, wherever the cursor stands', async ({
      agent,
      real,
    }) => {
      await sees(agent, 'empty')
      await type(agent, real, 'a draft')
      await seesDraft(agent, 'a draft')
      const end = await cursorOf(agent, real)
      await agent.press('C-a')
      await waitFor(() => cursorOf(agent, real), {
        what: 'the cursor to be where the draft begins',
        until: (x) => x === end - 'a draft'.length,
      })
      await seesDraft(agent, 'a draft')
      await clear(agent)
    })

    test('is not seen with a menu or a picker', async ({ agent, real }) => {
      writeFileSync(join(agent.cwd, 'notes.txt'), 'a note\n')
      await sees(agent, 'empty')
      await type(agent, real, '/')
      await sees(agent, 'none')
      await agent.press('BSpace')
      await sees(agent, 'empty')
      await type(agent, real, 'see @')
      await sees(agent, 'none')
      await clear(agent)
    })

    test('is not seen while it works', async ({ agent }) => {
      const gate = createGate()
      await sees(agent, 'empty')
      await agent.prompt('Think about it', say('Thought.', { before: gate }))
      await sees(agent, 'none')
      await stays(harness, agent, 'none')
      gate.open()
      await sees(agent, 'empty')
    })

    test('is not seen behind a dialog', async ({ agent }) => {
      await sees(agent, 'empty')
      await agent.prompt('Run the tests', running('npm test'), say('Tested.'))
      await sees(agent, 'none')
      await stays(harness, agent, 'none')
      await agent.deny()
      await sees(agent, 'empty')
    })

    test('shows a mark that is pasted before a long text, which one Enter submits', async ({
      agent,
      real,
    }) => {
      const words = 'All the words of a long prompt. '.repeat(60)
      real.model.plan('[tb:k3f9x2m7q1]', say('All read.'))
      await sees(agent, 'empty')
      await paste(agent, real, '[tb:k3f9x2m7q1] ')
      await seesDraft(agent, '[tb:k3f9x2m7q1]')
      await paste(agent, real, words)
      await waitFor(() => sightOf(harness, agent), {
        what: 'the folded text behind the mark',
        until: (sight) => sight.kind === 'text' && /^\[tb:k3f9x2m7q1\] \S/.test(sight.text),
      })
      // An Enter right after a paste is taken for a part of it.
      await delay(300)
      await agent.press('Enter')
      const { prompt } = await real.model.waitForRequest('[tb:k3f9x2m7q1]')
      expect(prompt.trim()).toBe(`[tb:k3f9x2m7q1] ${words}`.trim())
      await sees(agent, 'empty')
    })
  })
}

export async function sightOf(
  harness: string,
  { pane }: { pane: PaneRef },
): Promise<ComposerSight> {
  const screens = await captureByProcess(pane.socket, [pane.id])
  const screen = screens.get(pane.id)?.screen
  const managed = adapterFor(harness)?.managed
  if (!screen || !managed) throw new Error(`there is no screen of ${pane.id}`)
  return managed.composer(screen)
}

export function waitToSee(
  harness: string,
  agent: { name: string; pane: PaneRef },
  kind: ComposerSight['kind'],
): Promise<ComposerSight> {
  return waitFor(() => sightOf(harness, agent), {
    what: `the composer of ${agent.name} to be seen as ${kind}`,
    until: (sight) => sight.kind === kind,
    timeoutMs: PATIENT_MS,
  })
}

/** As it would be met by one look of many. */
async function stays(harness: string, agent: Typist, kind: ComposerSight['kind']): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    expect((await sightOf(harness, agent)).kind).toBe(kind)
  }
}

const LOOKS = 100
/** On a busy machine the start of some takes more than a minute. */
const PATIENT_MS = 150_000

async function paste({ pane }: Typist, { world }: Place, text: string): Promise<void> {
  await world.tmux.run('set-buffer', '-b', 'composer', text)
  await world.tmux.run('paste-buffer', '-p', '-r', '-d', '-b', 'composer', '-t', pane.id)
}

async function cursorOf({ pane }: Typist, { world }: Place): Promise<number> {
  return Number(await world.tmux.run('display-message', '-p', '-t', pane.id, '#{cursor_x}'))
}
