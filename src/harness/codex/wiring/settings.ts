import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseTomlText, type TomlPair } from '../../edit/toml-text.ts'
import type { Site } from '../../wiring/wiring.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks } from './install.ts'
import { type HookTrust, trustOf } from './trust.ts'

/** The files of Codex that are changed. */
export type CodexFiles = {
  home: string
  hooks: string
  config: string
  /** `hooks`, as Codex writes it where it says that it trusts it. */
  source: string
}

/** Codex follows the links in `CODEX_HOME`, and not those in `~/.codex` (0.166.0). */
export function codexFiles({ env, home: userHome }: Pick<Site, 'env' | 'home'>): CodexFiles {
  const given = env['CODEX_HOME']
  const home = resolve(given || join(userHome, '.codex'))
  const known = given && existsSync(home) ? realpathSync(home) : home
  const hooks = join(home, 'hooks.json')
  return { home, hooks, config: join(home, 'config.toml'), source: join(known, 'hooks.json') }
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
export function everyTrust(files: CodexFiles, { read, emitter }: Site): HookTrust[] {
  const emitters = [emitter, { program: emitter.program }]
  const written = emitters.flatMap((one) =>
    ourTrust(files, addHooks(undefined, { emitter: one, events: HOOK_EVENTS, isComplete: true })),
  )
  const anywhere = written.map(({ hash }) => ({ key: files.source, hash }))
  return [...ourTrust(files, read(files.hooks)), ...anywhere]
}

/** Settings under which hooks are not run, as sentences. A file that cannot be read says nothing. */
export function obstacles({ config }: CodexFiles, site: Site): string[] {
  return [
    ...(valueIn(site, config, 'features.hooks') === 'false'
      ? [`Codex runs no hooks: features.hooks is false in ${config}`]
      : []),
    ...(valueIn(site, REQUIREMENTS, 'allow_managed_hooks_only') === 'true'
      ? [`Codex runs no hooks of yours: allow_managed_hooks_only is true in ${REQUIREMENTS}`]
      : []),
  ]
}

/** What an administrator sets for all users. */
const REQUIREMENTS = '/etc/codex/requirements.toml'

function valueIn(site: Site, path: string, key: string): string | undefined {
  try {
    const text = site.read(path) ?? ''
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
