import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { note, print } from '../../context/output.ts'
import { reportError } from '../../context/run-command.ts'
import { isCodexInUse } from '../../install/codex-settings.ts'
import { GEMINI } from '../../install/gemini-settings.ts'
import { type HookSettings, isInUse } from '../../install/hook-settings.ts'
import { installClaudeCode } from '../../install/install-claude-code.ts'
import { installCodex } from '../../install/install-codex.ts'
import { installHooks } from '../../install/install-hooks.ts'
import { installOpencode } from '../../install/install-opencode.ts'
import { installTmux } from '../../install/install-tmux.ts'
import { isOpencodeInUse } from '../../install/opencode-config.ts'
import { QWEN } from '../../install/qwen-settings.ts'
import { uninstallClaudeCode } from '../../install/uninstall-claude-code.ts'
import { uninstallCodex } from '../../install/uninstall-codex.ts'
import { uninstallHooks } from '../../install/uninstall-hooks.ts'
import { uninstallOpencode } from '../../install/uninstall-opencode.ts'
import { uninstallTmux } from '../../install/uninstall-tmux.ts'

type Options = { yes?: boolean }

/** Every target with its usual options. A refusal of one does not keep the others from being wired. */
export async function installAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'Any other program can report its sessions itself, with POST /v1/events.')
  const said = { done: 'installed', before: 'was installed already', not: 'not installed' }
  return forEach(said, [
    ['tmux', () => installTmux(options)],
    ['Claude Code', () => installClaudeCode(options)],
    inUse('Codex', isCodexInUse, () => installCodex(options)),
    ...hooked((settings) => installHooks(settings, options)),
    inUse('opencode', isOpencodeInUse, () => installOpencode(options)),
  ])
}

export async function uninstallAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'Without a name all of it is taken back.')
  const said = { done: 'taken back', before: 'was not installed', not: 'not taken back' }
  return forEach(said, [
    ['tmux', () => uninstallTmux(options)],
    ['Claude Code', () => uninstallClaudeCode(options)],
    inUse('Codex', isCodexInUse, () => uninstallCodex(options)),
    ...hooked((settings) => uninstallHooks(settings, options)),
    inUse('opencode', isOpencodeInUse, () => uninstallOpencode(options)),
  ])
}

/** What is run is true when it changed something; undefined for a program that nobody has here. */
type Target = [name: string, run: (() => Promise<boolean>) | undefined]

/** Nothing is written for a program that nobody has here. */
function inUse(
  name: string,
  isInUse: (env: NodeJS.ProcessEnv) => boolean,
  run: () => Promise<boolean>,
): Target {
  return [name, isInUse(process.env) ? run : undefined]
}

function hooked(run: (settings: HookSettings) => Promise<boolean>): Target[] {
  return [GEMINI, QWEN].map((settings) =>
    inUse(
      settings.manner.title,
      (env) => isInUse(settings, env),
      () => run(settings),
    ),
  )
}

/** The exit code of the first that failed. What became of each is said once more in the end, below all the changes. */
async function forEach(
  said: { done: string; before: string; not: string },
  targets: Target[],
): Promise<number> {
  let code = 0
  const outcomes: string[] = []
  for (const [name, run] of targets) {
    if (!run) {
      outcomes.push(`${name}: left out, it is not in use here`)
      continue
    }
    note(`${outcomes.length === 0 ? '' : '\n'}── ${name} ──`)
    try {
      outcomes.push(`${name}: ${(await run()) ? said.done : said.before}`)
    } catch (error) {
      const failed = reportError(error)
      code ||= failed
      outcomes.push(`${name}: ${said.not}: ${displayLine(messageOf(error))}`)
    }
  }
  note('\n── All of it ──')
  for (const outcome of outcomes) print(outcome)
  return code
}

function requireAll(what: string | undefined, hint: string): void {
  if (what === undefined || what === 'all') return
  const message = `"${what}" is not known; this version wires: claude-code, codex, gemini, opencode, qwen, tmux, all.`
  throw new TrailBossError('BAD_USAGE', message, { hint })
}
