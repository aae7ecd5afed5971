import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../../../support/create-world.ts'
import { isAlive } from '../../../support/processes.ts'
import { CODEX } from '../client.ts'
import { RESPONSES } from '../model/responses-dialect.ts'
import type { ProgramUnderTest } from '../program-world.ts'
import {
  commonEnv,
  type PaneProgramOptions,
  type ProgramPlaces,
  type PromptedProgram,
  prompting,
  startInPane,
} from './pane-program.ts'

/** The real Codex in a pane. */
export type CodexAgent = PromptedProgram & {
  enterPlanMode(): Promise<void>
  waitForDialog(): Promise<string>
  waitForComposer(): Promise<void>
}

export type CodexHome = {
  sharedDaemon?: boolean
  isTrusted?: boolean
  /** How often a failed request is tried again. */
  retries?: number
}

/** The title while it works begins with a spinner. */
export const WORKING_TITLE = /^[\u2801-\u28ff] /
export const ASKING_TITLE = /Action Required/
export const IDLE_TITLE = /^(?![\u2801-\u28ff] )(?!.*Action Required).+/

const MODEL = 'stub-model'
const COMPOSER = /^› .*\n(?:.*\n)*? {2}\S.* · /m
/** Its keys are at the very bottom, where the composer has other things. */
const DIALOG_KEYS = /\benter (?:to )?\w+/i

/** Each has a project of its own, that Codex trusts. */
const MOST_AGENTS = 20

export function codexUnderTest({
  hooks = true,
  ...home
}: CodexHome & { hooks?: boolean } = {}): ProgramUnderTest<CodexAgent> {
  return {
    program: CODEX,
    dialect: RESPONSES,
    hooks,
    prepare: (places) => {
      const projects = join(places.dir, 'projects')
      for (let n = 1; n <= MOST_AGENTS; n++) mkdirSync(join(projects, `agent-${n}`))
      writeCodexHome(places, home)
    },
    start: startCodex,
    ...(home.sharedDaemon && { finish: endSharedDaemon }),
  }
}

/** It would outlive the world. */
function endSharedDaemon({ home }: World): void {
  const dir = join(home, '.codex', 'app-server-daemon')
  if (!existsSync(dir)) return
  for (const name of ['daemon-updater.pid', 'daemon.pid']) {
    const { pid } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { pid: number }
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
}

/** What keeps it from asking anything at its start, and from talking to anybody but the model. */
export function writeCodexHome(
  { home, dir, model }: Pick<ProgramPlaces, 'home' | 'dir' | 'model'>,
  { sharedDaemon = false, isTrusted = true, retries = 0 }: CodexHome = {},
): void {
  const projects = join(dir, 'projects')
  mkdirSync(projects, { recursive: true })
  mkdirSync(join(home, '.codex'), { recursive: true })
  const trusted = [projects, ...readdirSync(projects).map((name) => join(projects, name))]
  const config = [
    `model = "${MODEL}"`,
    'model_provider = "stub"',
    'check_for_update_on_startup = false',
    'approval_policy = "on-request"',
    'sandbox_mode = "workspace-write"',
    '',
    // The directory of a test is in /tmp.
    '[sandbox_workspace_write]',
    'exclude_slash_tmp = true',
    'exclude_tmpdir_env_var = true',
    '',
    '[analytics]',
    'enabled = false',
    '',
    '[features]',
    `daemon_auto_start = ${sharedDaemon}`,
    '',
    '[model_providers.stub]',
    'name = "stub"',
    `base_url = "${model.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "STUB_KEY"',
    `request_max_retries = ${retries}`,
    `stream_max_retries = ${retries}`,
    '',
    ...(isTrusted ? trusted : []).flatMap((path) => [
      `[projects."${path}"]`,
      'trust_level = "trusted"',
      '',
    ]),
  ]
  writeFileSync(join(home, '.codex', 'config.toml'), config.join('\n'))
}

export function codexEnv(places: Pick<ProgramPlaces, 'home' | 'env'>) {
  return { ...commonEnv(places), STUB_KEY: 'fake-key-for-a-scripted-model' }
}

export async function startCodex(
  name: string,
  places: ProgramPlaces,
  options: PaneProgramOptions = {},
): Promise<CodexAgent> {
  const command = {
    title: 'Codex',
    argv: [places.binary, ...(options.args ?? [])],
    env: { ...codexEnv(places), ...options.env },
    isWrapped: true,
  }
  const program = await startInPane(name, places, command, options)
  const { see, pressUntil } = program

  // What is typed and sent within one moment is taken for a paste, and stays in the composer.
  const submit = async (text: string) => {
    await program.type(text)
    const isTyped = (shown: string) => draftOf(shown).includes(text.slice(-40))
    await see(`${name} to show what was typed`, isTyped)
    await pressUntil('Enter', (shown) => !isTyped(shown))
  }
  const waitForDialog = () => see(`${name} to show a dialog`, isDialog)
  const leaveDialog = async (key: string) => {
    await waitForDialog()
    await pressUntil(key, (shown) => !isDialog(shown))
  }
  const agent: CodexAgent = {
    ...program,
    prompt: prompting(places.model, submit),
    submit,
    approve: () => leaveDialog('Enter'),
    // It ends the turn as well.
    deny: () => leaveDialog('Escape'),
    // Pressed once more it would leave it again. What is still starting forgets it: only after a first turn it stays.
    enterPlanMode: () => pressUntil('BTab', (shown) => /Plan mode/.test(composerOf(shown)), 8_000),
    waitForDialog,
    waitForComposer: async () => {
      await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
      await program.waitForTitle(IDLE_TITLE)
    },
    exit: async () => {
      await submit('/quit')
      await program.ended()
    },
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

function isDialog(screen: string): boolean {
  return DIALOG_KEYS.test(screen.trimEnd().split('\n').at(-1) ?? '')
}

/** What is under the last prompt: the draft and the lines below it. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  return lines.slice(lines.findLastIndex((line) => /^›(?: |$)/.test(line))).join('\n')
}

/** The status line names the session after its first prompt. */
function draftOf(screen: string): string {
  const lines = composerOf(screen).split('\n')
  return lines.filter((line) => !line.startsWith(`  ${MODEL} `)).join('\n')
}
