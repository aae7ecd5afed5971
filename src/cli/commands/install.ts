import { TrailBossError } from '../../core/errors.ts'
import { note } from '../output.ts'
import { reportError } from '../run-command.ts'
import { installClaudeCode } from './install-claude-code.ts'
import { installTmux } from './install-tmux.ts'
import { uninstallClaudeCode } from './uninstall-claude-code.ts'
import { uninstallTmux } from './uninstall-tmux.ts'

type Options = { yes?: boolean }

/** Every target with its usual options. A refusal of one does not keep the others from being wired. */
export async function installAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what)
  return forEach([
    ['tmux', () => installTmux(options)],
    ['Claude Code', () => installClaudeCode(options)],
  ])
}

export async function uninstallAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what)
  return forEach([
    ['tmux', () => uninstallTmux(options)],
    ['Claude Code', () => uninstallClaudeCode(options)],
  ])
}

/** The exit code of the first that failed. */
async function forEach(targets: [name: string, run: () => Promise<void>][]): Promise<number> {
  let code = 0
  for (const [index, [name, run]] of targets.entries()) {
    note(`${index === 0 ? '' : '\n'}── ${name} ──`)
    try {
      await run()
    } catch (error) {
      code ||= reportError(error)
    }
  }
  return code
}

function requireAll(what: string | undefined): void {
  if (what === undefined || what === 'all') return
  const message = `"${what}" cannot be wired; this version knows: claude-code, tmux, all.`
  throw new TrailBossError('BAD_USAGE', message, {
    hint: 'docs/protocol.md shows how any other program can report its sessions.',
  })
}
