import { TrailBossError } from '../../core/errors.ts'
import { isCodexInUse } from '../codex-settings.ts'
import { GEMINI } from '../gemini-settings.ts'
import { type HookSettings, isInUse } from '../hook-settings.ts'
import { isOpencodeInUse } from '../opencode-config.ts'
import { note } from '../output.ts'
import { QWEN } from '../qwen-settings.ts'
import { reportError } from '../run-command.ts'
import { installClaudeCode } from './install-claude-code.ts'
import { installCodex } from './install-codex.ts'
import { installHooks } from './install-hooks.ts'
import { installOpencode } from './install-opencode.ts'
import { installTmux } from './install-tmux.ts'
import { uninstallClaudeCode } from './uninstall-claude-code.ts'
import { uninstallCodex } from './uninstall-codex.ts'
import { uninstallHooks } from './uninstall-hooks.ts'
import { uninstallOpencode } from './uninstall-opencode.ts'
import { uninstallTmux } from './uninstall-tmux.ts'

type Options = { yes?: boolean }

/** Every target with its usual options. A refusal of one does not keep the others from being wired. */
export async function installAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'docs/protocol.md shows how any other program can report its sessions.')
  return forEach([
    ['tmux', () => installTmux(options)],
    ['Claude Code', () => installClaudeCode(options)],
    ...inUse('Codex', isCodexInUse, () => installCodex(options)),
    ...hooked((settings) => installHooks(settings, options)),
    ...inUse('opencode', isOpencodeInUse, () => installOpencode(options)),
  ])
}

export async function uninstallAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'Without a name all of it is taken back.')
  return forEach([
    ['tmux', () => uninstallTmux(options)],
    ['Claude Code', () => uninstallClaudeCode(options)],
    ...inUse('Codex', isCodexInUse, () => uninstallCodex(options)),
    ...hooked((settings) => uninstallHooks(settings, options)),
    ...inUse('opencode', isOpencodeInUse, () => uninstallOpencode(options)),
  ])
}

type Target = [name: string, run: () => Promise<void>]

/** Nothing is written for a program that nobody has here. */
function inUse(
  name: string,
  isInUse: (env: NodeJS.ProcessEnv) => boolean,
  run: () => Promise<void>,
): Target[] {
  return isInUse(process.env) ? [[name, run]] : []
}

function hooked(run: (settings: HookSettings) => Promise<void>): Target[] {
  return [GEMINI, QWEN].flatMap((settings) =>
    inUse(
      settings.manner.title,
      (env) => isInUse(settings, env),
      () => run(settings),
    ),
  )
}

/** The exit code of the first that failed. */
async function forEach(targets: Target[]): Promise<number> {
  let code = 0
  for (const [index, [name, run]] of targets.entries()) {
    note(`${index === 0 ? '' : '\n'}── ${name} ──`)
    try {
      await run()
    } catch (error) {
      const failed = reportError(error)
      code ||= failed
    }
  }
  return code
}

function requireAll(what: string | undefined, hint: string): void {
  if (what === undefined || what === 'all') return
  const message = `"${what}" is not known; this version wires: claude-code, codex, gemini, opencode, qwen, tmux, all.`
  throw new TrailBossError('BAD_USAGE', message, { hint })
}
