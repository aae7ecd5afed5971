import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COPILOT } from '../client.ts'
import { CHAT } from '../model/chat-dialect.ts'
import type { ProgramUnderTest } from '../program-world.ts'
import { drafting } from './drafting.ts'
import {
  commonEnv,
  type PaneProgramOptions,
  type ProgramPlaces,
  type PromptedProgram,
  prompting,
  startInPane,
} from './pane-program.ts'
import { type ProcessTree, processTree } from './process-tree.ts'

/** The real Copilot CLI in a pane. */
export type CopilotAgent = PromptedProgram & ProcessTree

const COMPOSER = /^─{20,}\n❯\s*\n─{20,}\n/m

/** It has no hooks of ours. */
export const copilotUnderTest: ProgramUnderTest<CopilotAgent> = {
  program: COPILOT,
  dialect: CHAT,
  hooks: false,
  prepare: ({ home, dir }) => {
    const trustedFolders = [join(dir, 'projects', 'agent-1')]
    mkdirSync(join(home, '.copilot'), { recursive: true })
    writeFileSync(join(home, '.copilot', 'config.json'), JSON.stringify({ trustedFolders }))
  },
  start: startCopilot,
}

async function startCopilot(
  name: string,
  places: ProgramPlaces,
  options: PaneProgramOptions = {},
): Promise<CopilotAgent> {
  // A provider of one's own needs no login.
  const provider = {
    COPILOT_PROVIDER_BASE_URL: `${places.model.url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'fake-key-for-a-scripted-model',
    COPILOT_MODEL: 'herd',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_OFFLINE: 'true',
  }
  const command = {
    title: 'Copilot CLI',
    argv: ['node', places.binary, ...(options.args ?? [])],
    env: { ...commonEnv(places), ...provider, ...options.env },
    isWrapped: false,
  }
  const program = await startInPane(name, places, command, options)
  const { see, pressUntil } = program

  const drafts = drafting(program, { draftIn, isDialog })
  const agent: CopilotAgent = {
    ...program,
    ...processTree(program),
    ...drafts,
    prompt: prompting(places.model, drafts.submit),
    exit: async () => {
      await program.type('/exit')
      await program.waitToSee(/^❯ \/exit/m)
      await pressUntil('Enter', program.isGone)
    },
  }
  if (options.waitsForComposer !== false) {
    await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
  }
  return agent
}

/** In place of the composer. */
function isDialog(screen: string): boolean {
  return /^(?:╰─{20,}╯|─{20,})$/.test(screen.trimEnd().split('\n').at(-1) ?? '')
}

function draftIn(screen: string): string | undefined {
  return /^─{20,}\n❯ (.*)\n─{20,}$/m.exec(screen)?.[1]?.trim()
}
