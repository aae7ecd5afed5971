import { isUnchangedPane, type Pane } from '../../core/pane.ts'
import type { PanePresence, RuntimeObservation } from '../../core/supervisor/runtime/reconcile.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { harnessIn } from '../../harness/running-harness.ts'
import { argvOf, nameOf } from '../../process/command.ts'
import { groupIdOf } from '../../process/group.ts'
import { isShell } from '../../process/shell.ts'
import { foregroundOf } from '../../process/terminal.ts'
import { type RuntimePaneState, readPanes } from '../../tmux/write/runtime-panes.ts'
import { OrphanProcesses } from './orphan-processes.ts'

export type PaneObservation = Pick<
  RuntimeObservation,
  'hasServer' | 'pane' | 'stray' | 'isAgentThere' | 'otherSince'
>

/** What is seen of the panes of runtimes: one process for all of a tmux server. */
export class RuntimeObserver {
  /** Those that the last look was without: only the second time it is missing. */
  readonly #missed = new Set<string>()
  readonly #otherSince = new Map<string, number>()
  readonly #orphans: OrphanProcesses

  /** How long the process of a pane that is gone may take to end. */
  constructor(patienceMs: number) {
    this.#orphans = new OrphanProcesses(patienceMs)
  }

  async look(
    runtimes: readonly Runtime[],
    now: () => number,
  ): Promise<ReadonlyMap<string, PaneObservation>> {
    const sockets = new Set(runtimes.map(({ socket }) => socket))
    const seen = await Promise.all(
      [...sockets].map((socket) =>
        this.#lookAt(
          socket,
          runtimes.filter((one) => one.socket === socket),
          now,
        ),
      ),
    )
    return new Map(seen.flat())
  }

  forget(runtimeId: string): void {
    this.#missed.delete(runtimeId)
    this.#otherSince.delete(runtimeId)
    this.#orphans.forget(runtimeId)
  }

  async #lookAt(
    socket: string,
    runtimes: readonly Runtime[],
    now: () => number,
  ): Promise<[string, PaneObservation][]> {
    const placed = runtimes.flatMap((runtime) => {
      const pane = paneOf(runtime)
      return pane ? [{ runtime, pane }] : []
    })
    const { hasServer, states, tagged } = await readPanes(
      socket,
      placed.map(({ pane }) => pane),
    )
    return runtimes.map((runtime) => {
      const { runtimeId } = runtime
      const state = states[placed.findIndex((one) => one.runtime === runtime)]
      const stray = tagged.find(
        ({ runtimeId: tag, pane }) => tag === runtimeId && !isUnchangedPane(pane, paneOf(runtime)),
      )?.pane
      return [
        runtimeId,
        {
          hasServer,
          pane: this.#presence(runtime, state, now()),
          stray: stray && {
            paneId: stray.id,
            serverPid: stray.server,
            panePid: stray.pid,
          },
          ...this.#agent(runtime, state, now()),
        },
      ]
    })
  }

  #presence(runtime: Runtime, state: RuntimePaneState | undefined, now: number): PanePresence {
    const { runtimeId } = runtime
    const kind = state?.kind ?? 'missing'
    const pane = kind === 'missing' || kind === 'other' ? paneOf(runtime) : undefined
    if (pane && this.#orphans.isAlive(runtimeId, pane, now)) return 'unseen'
    if (kind !== 'missing') this.#missed.delete(runtimeId)
    switch (state?.kind) {
      case 'alive':
        return 'here'
      case 'dead':
        return state.status === 0 ? 'exited' : 'dead'
      case 'other':
        return 'other'
      case 'unreachable':
        return 'unseen'
      case 'missing':
      case undefined: {
        const isAgain = this.#missed.has(runtimeId) || state === undefined
        this.#missed.add(runtimeId)
        return isAgain ? 'missing' : 'unseen'
      }
      default:
        return state satisfies never
    }
  }

  #agent(
    runtime: Runtime,
    state: RuntimePaneState | undefined,
    now: number,
  ): Pick<PaneObservation, 'isAgentThere' | 'otherSince'> {
    const { runtimeId, harness } = runtime
    const panePid = paneIn(runtime)?.panePid
    const isAgentThere =
      state?.kind === 'alive' && panePid !== undefined ? isAgentIn(panePid, harness) : undefined
    if (isAgentThere !== false) this.#otherSince.delete(runtimeId)
    else if (!this.#otherSince.has(runtimeId)) this.#otherSince.set(runtimeId, now)
    return { isAgentThere, otherSince: this.#otherSince.get(runtimeId) }
  }
}

/** The pane of a runtime, by all that tells it from another. */
export function paneOf(runtime: Runtime): Pane | undefined {
  const pane = paneIn(runtime)
  if (!pane) return undefined
  const { paneId, serverPid, panePid } = pane
  return { socket: runtime.socket, id: paneId, server: serverPid, pid: panePid }
}

/** The harness in the foreground; or what was launched itself, which may be a wrapper but is no shell. */
function isAgentIn(panePid: number, harness: string): boolean | undefined {
  const group = foregroundOf(panePid)
  if (group === undefined) return undefined
  if (harnessIn(group)?.adapter.harness === harness) return true
  const name = nameOf(panePid)
  if (name === undefined) return undefined
  return groupIdOf(panePid) === group && !isShell(name, argvOf(panePid))
}
