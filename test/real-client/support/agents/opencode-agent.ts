import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPENCODE } from '../client.ts'
import { CHAT } from '../model/chat-dialect.ts'
import type { ProgramUnderTest } from '../program-world.ts'
import {
  commonEnv,
  type PaneProgramOptions,
  type ProgramPlaces,
  type PromptedProgram,
  prompting,
  startInPane,
} from './pane-program.ts'

/** The real opencode in a pane. */
export type OpencodeAgent = PromptedProgram & {
  /** Esc, twice. */
  interrupt(): Promise<void>
  waitForDialog(): Promise<string>
  waitForWork(): Promise<void>
  /** Until nothing runs and there is a place to type. */
  waitForIdle(): Promise<void>
}

const COMPOSER = /^\s*╹▀{10,}/m
const DIALOG_KEYS = /^\s*┃.*(?:⇆ \w|↑↓ select|\benter (?:confirm|submit|toggle)|Allow once +Allow)/
const INTERRUPT = /\binterrupt\b|\[retrying /

/** At the bottom: above it may stand anything. */
function isDialog(screen: string): boolean {
  return lastLines(screen, 4).some((line) => DIALOG_KEYS.test(line))
}

function isWorking(screen: string): boolean {
  return lastLines(screen, 1).some((line) => INTERRUPT.test(line))
}

function isIdle(screen: string): boolean {
  return lastLines(screen, 2).some((line) => COMPOSER.test(line)) && !isWorking(screen)
}

function lastLines(screen: string, count: number): string[] {
  return screen.split('\n').filter(Boolean).slice(-count)
}

export function opencodeUnderTest({ hooks = true } = {}): ProgramUnderTest<OpencodeAgent> {
  return {
    program: OPENCODE,
    dialect: CHAT,
    hooks,
    prepare: ({ home, model }) => writeOpencodeHome(home, model),
    start: startOpencode,
  }
}

/**
 * A provider that needs no login, every permission asked for, and what keeps it from fetching
 * anything: as if it had fetched its plugin package already.
 */
export function writeOpencodeHome(home: string, model: { url: string }): void {
  const dir = join(home, '.config', 'opencode')
  mkdirSync(join(dir, 'node_modules'), { recursive: true })
  const write = (name: string, value: unknown) =>
    writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`)
  const fetched = { dependencies: { '@opencode-ai/plugin': '1.18.33' } }
  write('package.json', fetched)
  write('package-lock.json', { lockfileVersion: 3, packages: { '': fetched } })
  const options = { baseURL: `${model.url}/v1`, apiKey: 'fake-key-for-a-scripted-model' }
  const models = { herd: { name: 'Herd', limit: { context: 100_000, output: 4_000 } } }
  write('opencode.json', {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'stub/herd',
    small_model: 'stub/herd',
    permission: { bash: 'ask', edit: 'ask', webfetch: 'ask' },
    provider: { stub: { npm: '@ai-sdk/openai-compatible', name: 'Stub', options, models } },
  })
}

export function opencodeEnv(places: Pick<ProgramPlaces, 'home' | 'env'>) {
  return {
    ...commonEnv(places),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }
}

export async function startOpencode(
  name: string,
  places: ProgramPlaces,
  options: PaneProgramOptions = {},
): Promise<OpencodeAgent> {
  const command = {
    title: 'opencode',
    argv: [places.binary, ...(options.args ?? [])],
    env: { ...opencodeEnv(places), ...options.env },
    isWrapped: true,
  }
  const program = await startInPane(name, places, command, options)
  const { see, pressUntil } = program

  const submit = async (text: string) => {
    const isTyped = (shown: string) => composerOf(shown).includes(text.slice(0, 30))
    await program.draft(text, isTyped)
    await pressUntil('Enter', (shown) => !isTyped(shown))
  }
  const waitForDialog = () => see(`${name} to show a dialog`, isDialog)
  const leaveDialog = async (key: string) => {
    await waitForDialog()
    await pressUntil(key, (shown) => !isDialog(shown))
  }
  const agent: OpencodeAgent = {
    ...program,
    prompt: prompting(places.model, submit),
    submit,
    approve: () => leaveDialog('Enter'),
    deny: () => leaveDialog('Escape'),
    interrupt: async () => {
      await agent.waitForWork()
      const isAskedAgain = (shown: string) =>
        /again to interrupt/.test(lastLines(shown, 1)[0] ?? '')
      // On a busy machine both may be taken before the question is seen.
      await pressUntil('Escape', (shown) => isAskedAgain(shown) || isIdle(shown))
      if (!isIdle(await program.screen())) await pressUntil('Escape', isIdle)
    },
    waitForDialog,
    waitForWork: async () => {
      await see(`${name} to work`, isWorking)
    },
    waitForIdle: async () => {
      await see(`${name} to be idle`, isIdle)
    },
    exit: async () => {
      await submit('/exit')
      await program.ended()
    },
  }

  if (options.waitsForComposer !== false) await agent.waitToSee(COMPOSER)
  return agent
}

/** The lines with a bar at their left that end with the line under the composer. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  const end = lines.findLastIndex((line) => COMPOSER.test(line))
  const start = lines.slice(0, end).findLastIndex((line) => !/^\s*┃/.test(line)) + 1
  return lines.slice(start, end).join('\n')
}
