import { existsSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { emitterIn } from '../harness/emitter-command.ts'
import { HOOK_NAME } from '../harness/gemini/install.ts'
import { HARNESS } from '../harness/gemini/name.ts'
import { type JsonNode, memberOf, parseJsonText } from '../harness/json-text.ts'
import { hookedEvents } from './hooked-events.ts'
import { inFile, readSettings } from './settings-file.ts'

export const TITLE = 'Gemini CLI'

/** `GEMINI_CLI_HOME` stands for the home, not for the directory in it (0.61.0). */
export function geminiSettings(env: NodeJS.ProcessEnv): string {
  const home = env['GEMINI_CLI_HOME'] || env['HOME'] || homedir()
  return join(resolve(home), '.gemini', 'settings.json')
}

/** Whether there is anything to wire: it has a directory, or could be started. */
export function isGeminiInUse(env: NodeJS.ProcessEnv): boolean {
  if (existsSync(join(geminiSettings(env), '..'))) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, 'gemini')))
}

/** The emitter that each event runs. Throws `BAD_USAGE` for a file that cannot be read. */
export function ourHooksIn(path: string): Map<string, string> {
  return hookedEvents(path, HARNESS, TITLE, { hasComments: true })
}

/** Settings under which our hooks are not run, as sentences. A file that cannot be read says nothing. */
export function obstacles(path: string, env: NodeJS.ProcessEnv): string[] {
  return [path, systemSettings(env)].flatMap((file) => {
    const config = memberOf(safeRootOf(file), 'hooksConfig')?.value
    if (scalarOf(memberOf(config, 'enabled')?.value) === false) {
      return [`Gemini CLI runs no hooks: "hooksConfig.enabled" is false in ${file}`]
    }
    const disabled = memberOf(config, 'disabled')?.value
    const names = disabled?.kind === 'array' ? disabled.items.map(scalarOf) : []
    const isOurs = (name: unknown) =>
      name === HOOK_NAME || (typeof name === 'string' && emitterIn(name, HARNESS) !== undefined)
    return names.some(isOurs)
      ? [`Gemini CLI does not run our hooks: "hooksConfig.disabled" names them in ${file}`]
      : []
  })
}

function rootOf(path: string): JsonNode | undefined {
  const { text } = readSettings(path)
  return inFile(path, TITLE, () => parseJsonText(text ?? '', { hasComments: true }))
}

function safeRootOf(path: string): JsonNode | undefined {
  try {
    return rootOf(path)
  } catch {
    return undefined
  }
}

/** What an administrator sets for all users. */
function systemSettings(env: NodeJS.ProcessEnv): string {
  const usual =
    platform() === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli'
  return env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || join(usual, 'settings.json')
}

function scalarOf(node: JsonNode | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined
}
