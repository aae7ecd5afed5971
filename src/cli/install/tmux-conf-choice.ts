import { globSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { readBindings } from '../../tmux/conf/bindings.ts'
import { hasBlock } from '../../tmux/conf/conf-file.ts'

export type ConfChoice = {
  path: string
  /** Why this one, if there was a choice. */
  because?: string
}

/**
 * The file to add the keys to. tmux reads every one of its files that exists, `~/.tmux.conf` first (3.3a, 3.5a,
 * 3.8), so the last one wins.
 */
export function chooseConf(env: NodeJS.ProcessEnv, given: string | undefined): ConfChoice {
  if (given !== undefined) return { path: resolve(given) }
  const files = userConfs(env)
  const there = files.filter(isFile)
  const installed = there.find((path) => hasBlock(Buffer.from(readText(path), 'latin1')))
  const path = installed ?? there.at(-1) ?? files[0]!
  if (there.length < 2) return { path }
  const because = installed
    ? 'it has the trailboss block already'
    : `tmux reads ${there.join(', then ')}; what comes last stands`
  return { path, because }
}

/** In the order in which tmux reads them. */
export function userConfs(env: NodeJS.ProcessEnv): string[] {
  const home = userHome(env)
  const xdg = env['XDG_CONFIG_HOME']
  const files = [
    join(home, '.tmux.conf'),
    ...(xdg ? [join(xdg, 'tmux', 'tmux.conf')] : []),
    join(home, '.config', 'tmux', 'tmux.conf'),
  ]
  return [...new Set(files)]
}

/** The text of every file that tmux would read, including those of `source-file`, except `own`. */
export function confTexts(env: NodeJS.ProcessEnv, chosen: string, own: string): string {
  const seen = new Set([own])
  const texts: string[] = []
  const queue = [...new Set(['/etc/tmux.conf', ...userConfs(env), chosen])]
  while (queue.length > 0 && seen.size < MAX_FILES) {
    const path = queue.shift()!
    if (seen.has(path) || !isFile(path)) continue
    seen.add(path)
    const text = readText(path)
    texts.push(text)
    queue.push(...readBindings(text).sourced.flatMap((word) => sourcedPaths(word, env)))
  }
  return texts.join('\n')
}

const MAX_FILES = 100

/** Whether a tmux server of the user will have the keys, from our keys file or a plugin manager. */
export function hasKeys(env: NodeJS.ProcessEnv, keysFile: string): boolean {
  return isFile(keysFile) || namesPlugin(confTexts(env, chooseConf(env, undefined).path, keysFile))
}

export function namesPlugin(confText: string): boolean {
  return /^\s*set.*\s@plugin\s.*\btrailboss\b/m.test(confText)
}

function sourcedPaths(word: string, env: NodeJS.ProcessEnv): string[] {
  const expanded = word
    .replace(/^~(?=\/)/, userHome(env))
    .replace(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g, (_match, name: string) => env[name] ?? '')
  if (!isAbsolute(expanded)) return []
  return isFile(expanded) ? [expanded] : globSync(expanded)
}

/** If we may not read it, neither may tmux. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
