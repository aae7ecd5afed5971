import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The installation's own directory: the launcher passes it on, a run from source finds it. */
function rootDir(): string {
  return process.env['TRAILBOSS_ROOT'] ?? join(dirname(fileURLToPath(import.meta.url)), '..', '..')
}

export function distDir(): string {
  return join(rootDir(), 'dist')
}

export function launcherPath(): string {
  return join(rootDir(), 'bin', 'trailboss')
}

export function emitterPath(): string {
  return join(rootDir(), 'bin', 'trailboss-emit')
}
