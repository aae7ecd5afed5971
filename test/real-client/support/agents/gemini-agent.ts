import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GEMINI } from '../client.ts'
import { GEMINI_API } from '../model/gemini-dialect.ts'
import type { ProgramUnderTest } from '../program-world.ts'
import {
  commonEnv,
  type PaneProgramOptions,
  type ProgramPlaces,
  type PromptedProgram,
  prompting,
  startInPane,
} from './pane-program.ts'
import { type ProcessTree, processTree } from './process-tree.ts'

/** The real Gemini CLI in a pane. */
export type GeminiAgent = PromptedProgram &
  ProcessTree & {
    interrupt(): Promise<void>
    waitForComposer(): Promise<void>
    /** The same after a folder was trusted: it may show its composer, and then start once more. */
    waitForSteadyComposer(): Promise<void>
  }

export type GeminiHome = { hooks?: boolean; isTrusted?: boolean }

/** In its box: what the agent writes may look the same. */
const CHOICE = /^ ?│\s+● \d+\. /m
const COMPOSER = /^─{20,}[\s\S]*^▄{20,}\n [>!*] {3}Type your message/m
const AT_WORK = /\(esc to cancel, [\dms ]+\)/

const STEADY_MS = 4_000
/** A second Enter on the dialog about trust would be taken for another answer. */
const AGAIN_MS = 8_000

export function geminiUnderTest({
  hooks = true,
  isTrusted = true,
}: GeminiHome = {}): ProgramUnderTest<GeminiAgent> {
  return {
    program: GEMINI,
    dialect: GEMINI_API,
    hooks,
    prepare: ({ home }) => writeGeminiHome(home, isTrusted),
    start: startGemini,
  }
}

/** What keeps it from asking anything at its start, and from talking to anybody but the model. */
export function writeGeminiHome(home: string, isTrusted = true): void {
  const settings = {
    security: {
      auth: { selectedType: 'gemini-api-key' },
      folderTrust: { enabled: !isTrusted },
    },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { hideTips: true },
  }
  mkdirSync(join(home, '.gemini'), { recursive: true })
  writeFileSync(join(home, '.gemini', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`)
}

export function geminiEnv(places: Pick<ProgramPlaces, 'home' | 'env' | 'model'>) {
  return {
    ...commonEnv(places),
    GEMINI_API_KEY: 'fake-key-for-a-scripted-model',
    GOOGLE_GEMINI_BASE_URL: places.model.url,
    GEMINI_TELEMETRY_ENABLED: 'false',
  }
}

/** A model that needs no other request to be chosen. */
export const MODEL_ARGS = ['--model', 'gemini-2.5-flash']

export async function startGemini(
  name: string,
  places: ProgramPlaces,
  options: PaneProgramOptions = {},
): Promise<GeminiAgent> {
  const command = {
    title: 'Gemini CLI',
    argv: ['node', places.binary, ...MODEL_ARGS, ...(options.args ?? [])],
    env: { ...geminiEnv(places), ...options.env },
    isWrapped: false,
  }
  const program = await startInPane(name, places, command, options)
  const { see, pressUntil } = program

  const submit = async (text: string) => {
    await program.draft(text, (shown) => composerOf(shown).includes(text.slice(-30)))
    const draft = new RegExp(`^ [>!*] .*${escaped(text)}`, 'm')
    // A dialog may have taken the composer's place by then, and Enter would answer it; an answered one stays above.
    const isTaken = (shown: string) => {
      const composer = composerOf(shown)
      return CHOICE.test(composer) || !draft.test(composer)
    }
    await pressUntil('Enter', isTaken, AGAIN_MS)
  }
  const choose = async (index: number): Promise<void> => {
    // An answered one may still be on a tall screen.
    const boxIn = (screen: string) => screen.slice(screen.lastIndexOf('╭'))
    // On a busy machine it is drawn in pieces.
    const isDrawn = (screen: string) => CHOICE.test(screen) && boxIn(screen).includes('╯')
    const shown = await see(`${name} to have drawn its choices`, isDrawn)
    const isMarked = (nth: number) => (screen: string) =>
      new RegExp(`^ ?│\\s+● ${nth}\\. `, 'm').test(boxIn(screen))
    const count = boxIn(shown).match(/^ ?│ [●\s]+\d+\. /gm)?.length ?? 1
    const wanted = index < 0 ? count : index + 1
    await see(`${name} to mark its first choice`, isMarked(1))
    for (let nth = 2; nth <= wanted; nth++) await pressUntil('Down', isMarked(nth))
    await pressUntil('Enter', (now) => !now.trimEnd().endsWith('╯'), AGAIN_MS)
  }
  const agent: GeminiAgent = {
    ...program,
    ...processTree(program),
    prompt: prompting(places.model, submit),
    submit,
    approve: () => choose(0),
    // The last choice begins with "No".
    deny: () => choose(-1),
    interrupt: async () => {
      await see(`${name} to work`, (shown) => AT_WORK.test(shown))
      await pressUntil('Escape', (shown) => !AT_WORK.test(shown), AGAIN_MS)
    },
    waitForComposer: async () => {
      await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
      await program.waitForTitle(/^◇ /)
    },
    waitForSteadyComposer: async () => {
      let since = Number.POSITIVE_INFINITY
      await see(`${name} to keep its composer`, (shown) => {
        if (!COMPOSER.test(shown)) since = Number.POSITIVE_INFINITY
        else since = Math.min(since, Date.now())
        return Date.now() - since > STEADY_MS
      })
    },
    exit: async () => {
      await submit('/quit')
      await program.ended()
    },
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

/** What is under the last rule; all of it without one. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  return lines.slice(lines.findLastIndex((line) => /^─{20,}$/.test(line)) + 1).join('\n')
}

function escaped(text: string): string {
  return text.slice(0, 20).replaceAll(/[^\w ]/g, '.')
}
