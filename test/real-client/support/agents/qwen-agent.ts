import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { QWEN } from '../client.ts'
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

/** The real Qwen Code in a pane. */
export type QwenAgent = PromptedProgram &
  ProcessTree & {
    waitForComposer(): Promise<void>
  }

const CHOICE = /^ {3}(?:│ )?[›❯] \d+\. /m
const COMPOSER = /^─{20,}\n> {3}Type your message[^\n]*\n─{20,}\n/m

export function qwenUnderTest({ hooks = true } = {}): ProgramUnderTest<QwenAgent> {
  return {
    program: QWEN,
    dialect: CHAT,
    hooks,
    prepare: ({ home }) => writeQwenHome(home),
    start: startQwen,
  }
}

/** What keeps it from asking anything at its start, and from talking to anybody but the model. */
function writeQwenHome(home: string): void {
  const settings = {
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    tools: { approvalMode: 'default' },
    ui: { hideTips: true, enableFollowupSuggestions: false },
    memory: { enableManagedAutoMemory: false },
  }
  mkdirSync(join(home, '.qwen'), { recursive: true })
  writeFileSync(join(home, '.qwen', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`)
}

async function startQwen(
  name: string,
  places: ProgramPlaces,
  options: PaneProgramOptions = {},
): Promise<QwenAgent> {
  const provider = {
    OPENAI_BASE_URL: `${places.model.url}/v1`,
    OPENAI_API_KEY: 'fake-key-for-a-scripted-model',
    OPENAI_MODEL: 'herd',
  }
  const command = {
    title: 'Qwen Code',
    argv: ['node', places.binary, ...(options.args ?? [])],
    env: { ...commonEnv(places), ...provider, ...options.env },
    isWrapped: false,
  }
  const program = await startInPane(name, places, command, options)
  const { see } = program

  const drafts = drafting(program, { draftIn, isDialog: (shown) => CHOICE.test(shown) })
  const agent: QwenAgent = {
    ...program,
    ...processTree(program),
    ...drafts,
    prompt: prompting(places.model, drafts.submit),
    waitForComposer: async () => {
      await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
    },
    exit: async () => {
      await drafts.submit('/quit')
      await program.ended()
    },
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

/** What stands in the composer, without what shows where the cursor is. */
function draftIn(screen: string): string | undefined {
  const [, draft] = /^─{20,}\n[>!*] (.*)\n─{20,}$/m.exec(screen) ?? []
  return draft?.replaceAll('\u200b', '').trim()
}
