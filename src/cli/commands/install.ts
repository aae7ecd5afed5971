import { TrailBossError } from '../../core/errors.ts'
import { type InstallTmuxOptions, installTmux } from './install-tmux.ts'
import { type UninstallTmuxOptions, uninstallTmux } from './uninstall-tmux.ts'

/** What can be wired. Each target brings its own options and looks after its own files. */
export async function install(what: string, options: InstallTmuxOptions): Promise<void> {
  requireTarget(what)
  await installTmux(options)
}

export async function uninstall(what: string, options: UninstallTmuxOptions): Promise<void> {
  requireTarget(what)
  await uninstallTmux(options)
}

function requireTarget(what: string): void {
  if (what === 'tmux') return
  throw new TrailBossError('BAD_USAGE', `"${what}" cannot be wired; this version knows: tmux.`, {
    hint: 'docs/protocol.md shows how to wire the hooks of an agent by hand.',
  })
}
