import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseTomlText, type TomlPair } from '../../config-edit/toml-text.ts'
import type { Site } from '../../wiring/wiring.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks } from './install.ts'
import { type HookTrust, trustOf } from './trust.ts'

/** The Codex files that we change. */
export type CodexFiles = {
  home: string
  hooks: string
  config: string
  /** `hooks` as Codex spells it in its trust entries. */
  source: string
}

/** Codex follows links in `CODEX_HOME`, but not in `~/.codex` (0.166.0). */
export function codexFiles({ env, home: userHome }: Pick<Site, 'env' | 'home'>): CodexFiles {
  const given = env['CODEX_HOME']
  const home = resolve(given || join(userHome, '.codex'))
  const known = given && existsSync(home) ? realpathSync(home) : home
  const hooks = join(home, 'hooks.json')
  return { home, hooks, config: join(home, 'config.toml'), source: join(known, 'hooks.json') }
}

/** The trust entries of our hooks in the text of `hooks.json`; none if the text cannot be parsed. */
export function ourTrust({ source }: CodexFiles, hooksText: string | undefined): HookTrust[] {
  try {
    return trustOf(source, hooksText ?? '')
  } catch {
    return []
  }
}

/**
 * The same, plus the entries of the hooks that install writes, wherever in the file: their trust is ours even
 * if somebody removed them by hand.
 */
export function everyTrust(files: CodexFiles, { read, emitter }: Site): HookTrust[] {
  const emitters = [emitter, { program: emitter.program }]
  const written = emitters.flatMap((one) =>
    ourTrust(files, addHooks(undefined, { emitter: one, events: HOOK_EVENTS, isComplete: true })),
  )
  const anywhere = written.map(({ hash }) => ({ key: files.source, hash }))
  return [...ourTrust(files, read(files.hooks)), ...anywhere]
}

/** Settings that keep hooks from running, as sentences. An unreadable file yields none. */
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
    const found = pairsOf(text).find((pair) => pair.path.join('.') === key)
    return found && text.slice(found.value.start, found.value.end)
  } catch {
    return undefined
  }
}

/** All pairs of a TOML text, each by its whole path. Throws `BAD_USAGE` for what cannot be read. */
export function pairsOf(text: string): TomlPair[] {
  return parseTomlText(text).flatMap((table) => pairsIn(table.pairs, table.path))
}

/** Including those in braces, each by its whole path. */
function pairsIn(pairs: readonly TomlPair[], outer: readonly string[]): TomlPair[] {
  return pairs.flatMap((pair) => {
    const path = [...outer, ...pair.path]
    return [{ ...pair, path }, ...pairsIn(pair.inline ?? [], path)]
  })
}
