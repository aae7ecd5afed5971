import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { daemonSetting } from '../../harness/codex/wiring/daemon-setting.ts'
import { HOOK_EVENTS } from '../../harness/codex/wiring/hook-events.ts'
import { addHooks } from '../../harness/codex/wiring/install.ts'
import { HARNESS } from '../../harness/codex/wiring/name.ts'
import { type HookTrust, trustOf, untrusted } from '../../harness/codex/wiring/trust.ts'
import { parseTomlText, type TomlPair } from '../../harness/edit/toml-text.ts'
import type { Emitter } from '../../harness/hooks/emitter-command.ts'
import { hookedEvents } from './hooked-events.ts'
import { inFile, readSettings } from './settings-file.ts'

export const TITLE = 'Codex'

/** The files of Codex that are changed. */
export type CodexFiles = {
  home: string
  hooks: string
  config: string
  /** `hooks`, as Codex writes it where it says that it trusts it. */
  source: string
}

/** Codex follows the links in `CODEX_HOME`, and not those in `~/.codex` (0.166.0). */
export function codexFiles(env: NodeJS.ProcessEnv): CodexFiles {
  const given = env['CODEX_HOME']
  const home = resolve(given || join(userHome(env), '.codex'))
  const known = given && existsSync(home) ? realpathSync(home) : home
  const hooks = join(home, 'hooks.json')
  return { home, hooks, config: join(home, 'config.toml'), source: join(known, 'hooks.json') }
}

/** Whether there is anything to wire: it has a home, or could be started. */
export function isCodexInUse(env: NodeJS.ProcessEnv): boolean {
  if (existsSync(codexFiles(env).home)) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, 'codex')))
}

/** The emitter that each event runs. Throws `BAD_USAGE` for a file that cannot be read. */
export function ourHooksIn({ hooks: path }: CodexFiles): Map<string, string> {
  return hookedEvents(path, HARNESS, TITLE)
}

/** What our hooks in the text of `hooks.json` are trusted by; a text that cannot be read has none. */
export function ourTrust({ source }: CodexFiles, hooksText: string | undefined): HookTrust[] {
  try {
    return trustOf(source, hooksText ?? '')
  } catch {
    return []
  }
}

/**
 * The same, and that of the hooks which install writes, at whatever place of the file: their trust is ours
 * also when somebody has taken them out by hand.
 */
export function everyTrust(
  files: CodexFiles,
  hooksText: string | undefined,
  emitter: Emitter,
): HookTrust[] {
  const emitters = [emitter, { program: emitter.program }]
  const written = emitters.flatMap((one) =>
    ourTrust(files, addHooks(undefined, { emitter: one, events: HOOK_EVENTS, isComplete: true })),
  )
  const anywhere = written.map(({ hash }) => ({ key: files.source, hash }))
  return [...ourTrust(files, hooksText), ...anywhere]
}

/** How many of our hooks Codex would not run without asking. */
export function countUntrusted(files: CodexFiles): number {
  const { text = '' } = readSettings(files.config)
  const trusted = ourTrust(files, readSettings(files.hooks).text)
  return inFile(files.config, TITLE, () => untrusted(text, trusted)).length
}

export function hasSharedDaemon({ config }: CodexFiles): boolean {
  const { text = '' } = readSettings(config)
  return inFile(config, TITLE, () => daemonSetting(text)) === 'on'
}

/** Settings under which hooks are not run, as sentences. A file that cannot be read says nothing. */
export function obstacles({ config }: CodexFiles, requirements = REQUIREMENTS): string[] {
  return [
    ...(valueIn(config, 'features.hooks') === 'false'
      ? [`Codex runs no hooks: features.hooks is false in ${config}`]
      : []),
    ...(valueIn(requirements, 'allow_managed_hooks_only') === 'true'
      ? [`Codex runs no hooks of yours: allow_managed_hooks_only is true in ${requirements}`]
      : []),
  ]
}

/** What an administrator sets for all users. */
const REQUIREMENTS = '/etc/codex/requirements.toml'

function valueIn(path: string, key: string): string | undefined {
  try {
    const { text = '' } = readSettings(path)
    const pairs = parseTomlText(text).flatMap((table) => pairsIn(table.pairs, table.path))
    const found = pairs.find((pair) => pair.path.join('.') === key)
    return found && text.slice(found.value.start, found.value.end)
  } catch {
    return undefined
  }
}

/** Those in braces included, each by its whole path. */
function pairsIn(pairs: readonly TomlPair[], outer: readonly string[]): TomlPair[] {
  return pairs.flatMap((pair) => {
    const path = [...outer, ...pair.path]
    return [{ ...pair, path }, ...pairsIn(pair.inline ?? [], path)]
  })
}
