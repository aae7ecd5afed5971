import type { HookEnvelope } from '../../contract/envelope.ts'
import type { PaneRef } from '../../core/pane.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import type { Adapter, Hook } from '../../harness/adapter/adapter.ts'
import { ancestry } from '../../process/ancestry.ts'
import { argvOf, nameOf } from '../../process/command.ts'
import { outerPidOf } from '../../process/pid-namespace.ts'
import { canSeeProcesses, processState, startOf } from '../../process/process-state.ts'
import { isOnTerminal } from '../../process/terminal.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'

/** The process that a hook came from, as far as it is visible. */
export type HookOrigin = Pick<AgentEvent, 'pid' | 'pidStart' | 'pane'> &
  Pick<Hook, 'process'> & {
    /** It runs sessions that other processes show, so neither its own pane nor the hook's pane counts. */
    isDaemon?: boolean
  }

/**
 * The agent's own pid if the harness provides it; else the nearest process above the hook that is the harness;
 * else the outermost one between the pane's own and the hook, because a hook's parent may be a shell that is
 * gone the next moment. If a pane's process is among the hook's ancestors, the pane is bound to that process.
 */
export function originOf(
  { pid, ppid }: HookEnvelope,
  pane: PaneRef | undefined,
  inventory: PaneInventory,
  adapter: Adapter,
): HookOrigin {
  const panePid = pane && inventory.panePid(pane)
  const inner = pid ?? ppid
  const from = inner === undefined ? undefined : outerPidOf(inner, panePid)
  const chain = from === undefined ? [] : ancestry(from)
  const server = chain.find((one) => isDaemon(one, adapter))
  if (server !== undefined) return serverOrigin(server)
  const index = panePid === undefined ? -1 : chain.indexOf(panePid)
  const outermost = index === -1 ? undefined : chain[Math.max(0, index - 1)]
  const agent = pid === undefined ? (harnessIn(chain, adapter) ?? outermost) : from
  const pidStart = agent === undefined ? undefined : startOf(agent)
  return {
    ...(agent !== undefined && { pid: agent }),
    ...(pidStart !== undefined && { pidStart }),
    ...(pane && index !== -1 && panePid !== undefined && { pane: { ...pane, pid: panePid } }),
    ...(agent !== undefined && pidStart !== undefined && { process: processOf(agent) }),
  }
}

/**
 * Whether the hook comes from another process than the session's own: a headless prompt that resumed the
 * conversation briefly, and then reports its end. The living process counts.
 */
export function isOfAnother(
  session: Session | undefined,
  { pid }: HookOrigin,
  events: readonly AgentEvent[],
  knownAt: number,
): boolean {
  if (!session || session.headless || session.pid === undefined || session.pid === pid) return false
  if (!events.some(({ headless, kind }) => headless === true || kind === 'ended')) return false
  return processState(session.pid, { start: session.pidStart, knownAt }) !== 'gone'
}

/**
 * Whether the hook may name a pane that is not its own: its harness has servers, and its origin is no longer
 * visible. If no process is visible, we believe the hook.
 */
export function isUnproven(
  { ppid }: HookEnvelope,
  { pane }: HookOrigin,
  { sharedDaemon }: Adapter,
): boolean {
  if (!sharedDaemon || pane?.pid !== undefined || !canSeeProcesses()) return false
  return ppid === undefined || startOf(ppid) === undefined
}

function serverOrigin(pid: number): HookOrigin {
  const pidStart = startOf(pid)
  const start = pidStart !== undefined && { pidStart }
  return { isDaemon: true, pid, ...start, process: processOf(pid) }
}

function isDaemon(pid: number, { sharedDaemon }: Adapter): boolean {
  const name = sharedDaemon && nameOf(pid)
  return name !== undefined && sharedDaemon?.isDaemon({ name, argv: argvOf(pid) }) === true
}

/** A harness that started itself a second time counts once, as the first of the two. */
function harnessIn(chain: readonly number[], adapter: Adapter): number | undefined {
  const isHarness = (pid: number) => {
    const name = nameOf(pid)
    const process = name === undefined ? undefined : { name, argv: argvOf(pid) }
    return process !== undefined && (adapter.isProgram ?? adapter.isProcess)?.(process) === true
  }
  let found = chain.findIndex(isHarness)
  if (found === -1) return undefined
  while (found + 1 < chain.length && isHarness(chain[found + 1]!)) found += 1
  return chain[found]
}

function processOf(pid: number): NonNullable<Hook['process']> {
  return { argv: argvOf(pid), hasTerminal: isOnTerminal(pid) }
}
