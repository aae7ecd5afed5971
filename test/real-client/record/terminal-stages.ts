import { hostname } from 'node:os'
import { codexUnderTest } from '../support/agents/codex-agent.ts'
import { geminiUnderTest } from '../support/agents/gemini-agent.ts'
import { opencodeUnderTest } from '../support/agents/opencode-agent.ts'
import type { PromptedProgram } from '../support/agents/pane-program.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { shell } from '../support/model/gemini-replies.ts'
import { bash as opencodeBash } from '../support/model/opencode-replies.ts'
import { bash, type Reply } from '../support/model/reply.ts'
import { createProgramWorld, type ProgramUnderTest } from '../support/program-world.ts'
import { createRealWorld } from '../support/real-world.ts'
import { playInTerminals } from './terminals.ts'

type Recorder = (version: string) => Promise<void>

/** Who is recorded in terminals of all kinds, by harness. None of them knows of Trail Boss then. */
export const TERMINAL_RECORDERS: Record<string, Recorder> = {
  'claude-code': recordClaudeCode,
  codex: recorderOf(codexUnderTest({ hooks: false }), escalated),
  opencode: recorderOf(opencodeUnderTest({ hooks: false }), opencodeBash),
  gemini: recorderOf(geminiUnderTest({ hooks: false }), shell),
}

function recorderOf<Agent extends PromptedProgram>(
  underTest: ProgramUnderTest<Agent>,
  asking: (command: string) => Reply,
): Recorder {
  return async (version) => {
    await using real = await createProgramWorld(underTest)
    const { model, world } = real
    await playInTerminals(underTest.program.harness, version, scrubber(world.dir), {
      server: world.tmux,
      model,
      asking,
      start: (_, { env, size }) => real.start({ env, size, waitsForComposer: false }),
    })
  }
}

async function recordClaudeCode(version: string): Promise<void> {
  await using real = await createRealWorld({ hooks: false })
  const { model, world } = real
  await playInTerminals('claude-code', version, scrubber(world.dir), {
    server: world.tmux,
    model,
    asking: bash,
    start: async (name, { env, size: { width, height } }) => {
      const agent = await real.start(name, { env, waitsForComposer: false })
      await world.tmux.run(
        'resize-window',
        '-t',
        agent.pane.id,
        '-x',
        `${width}`,
        '-y',
        `${height}`,
      )
      return agent
    },
  })
}

/** As long as it was, so that what is drawn around it stays in place. */
function scrubber(dir: string): (text: string) => string {
  const instead = '/home/op/range/here'.slice(0, dir.length).padEnd(dir.length, '_')
  const host = new RegExp(`\\b${hostname()}\\b`, 'g')
  const ox = 'ox'.repeat(hostname().length).slice(0, hostname().length)
  return (text) =>
    text
      .replaceAll(dir, instead)
      // One that is wrapped in the middle.
      .replaceAll(/\/tmp\/tb-?$/gm, (part) => '/home/op'.slice(0, part.length))
      .replaceAll(host, ox)
}
