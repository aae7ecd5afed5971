import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import type { WiredAdapter } from '../../../harness/adapter/adapter.ts'
import { wiredAdapters } from '../../../harness/registry.ts'
import { note, print } from '../../context/output.ts'
import { reportError } from '../../context/run-command.ts'
import { installHarness } from '../../install/install-harness.ts'
import { terminalIo } from '../../install/install-io.ts'
import { installTmux } from '../../install/install-tmux.ts'
import { createSite } from '../../install/site.ts'
import { uninstallHarness } from '../../install/uninstall-harness.ts'
import { uninstallTmux } from '../../install/uninstall-tmux.ts'
import { targetNames } from './wiring-flags.ts'

type Options = { yes?: boolean }

/** Every target with its default options. A failure of one does not stop the others. */
export async function installAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'Any other program can report its sessions itself, with POST /v1/events.')
  const said = { done: 'installed', before: 'was installed already', not: 'not installed' }
  const harnesses = harnessTargets((adapter) => installHarness(adapter, options))
  return forEach(said, [['tmux', () => installTmux(options)], ...harnesses])
}

export async function uninstallAll(what: string | undefined, options: Options): Promise<number> {
  requireAll(what, 'Without a name all of it is taken back.')
  const said = { done: 'taken back', before: 'was not installed', not: 'not taken back' }
  const harnesses = harnessTargets((adapter) => uninstallHarness(adapter, options))
  return forEach(said, [['tmux', () => uninstallTmux(options)], ...harnesses])
}

/** `run` resolves to true if it changed something; undefined for a program that is not in use here. */
type Target = [name: string, run: (() => Promise<boolean>) | undefined]

function harnessTargets(run: (adapter: WiredAdapter) => Promise<boolean>): Target[] {
  const { site } = createSite(terminalIo())
  return wiredAdapters().map((adapter) => [
    adapter.title,
    adapter.wiring.isInUse(site) ? () => run(adapter) : undefined,
  ])
}

/** Returns the first failure's exit code. A summary comes last, below all the changes. */
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
  const known = [...targetNames(), 'all'].join(', ')
  throw new TrailBossError('BAD_USAGE', `"${what}" is not known; this version wires: ${known}.`, {
    hint,
  })
}
