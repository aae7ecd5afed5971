import { isUnchangedPane } from '../../core/pane.ts'
import type { PanePresence, RuntimeObservation } from '../../core/supervisor/runtime/reconcile.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { harnessIn } from '../../harness/running-harness.ts'
import { argvOf, nameOf } from '../../process/command.ts'
import { groupIdOf } from '../../process/group.ts'
import { isShell } from '../../process/shell.ts'
import { foregroundOf } from '../../process/terminal.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import { type RuntimePaneState, readPanes } from '../../tmux/write/runtime-panes.ts'
import { OrphanProcesses } from './orphan-processes.ts'

export type PaneObservation = Pick<
  RuntimeObservation,
  'hasServer' | 'pane' | 'stray' | 'isAgentThere' | 'otherSince'
>

/** Looks at the panes of runtimes: all panes of a tmux server at once. */
export class RuntimeObserver {
  /** Panes that the last look did not find: a pane counts as missing only the second time. */
  readonly #missed = new Set<string>()
  readonly #otherSince = new Map<string, number>()
  readonly #orphans: OrphanProcesses
  readonly #ask: RunCommands

  /** The process of a pane that is gone may take `patienceMs` to end. */
  constructor(ask: RunCommands, patienceMs: number) {
    this.#ask = ask
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
      const pane = paneIn(runtime)
      return pane ? [{ runtime, pane }] : []
    })
    const { hasServer, states, tagged } = await readPanes(
      socket,
      placed.map(({ pane }) => pane),
      this.#ask,
    )
    return runtimes.map((runtime) => {
      const { runtimeId } = runtime
      const state = states[placed.findIndex((one) => one.runtime === runtime)]
      const stray = tagged.find(
        ({ runtimeId: tag, pane }) => tag === runtimeId && !isUnchangedPane(pane, paneIn(runtime)),
      )?.pane
      return [
        runtimeId,
        {
          hasServer,
          pane: this.#presence(runtime, state, now()),
          stray,
          ...this.#agent(runtime, state, now()),
        },
      ]
    })
  }

  #presence(runtime: Runtime, state: RuntimePaneState | undefined, now: number): PanePresence {
    const { runtimeId } = runtime
    const kind = state?.kind ?? 'missing'
    const pane = kind === 'missing' || kind === 'other' ? paneIn(runtime) : undefined
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
    const panePid = paneIn(runtime)?.pid
    const isAgentThere =
      state?.kind === 'alive' && panePid !== undefined ? isAgentIn(panePid, harness) : undefined
    if (isAgentThere !== false) this.#otherSince.delete(runtimeId)
    else if (!this.#otherSince.has(runtimeId)) this.#otherSince.set(runtimeId, now)
    return { isAgentThere, otherSince: this.#otherSince.get(runtimeId) }
  }
}

/** Either the harness is in the foreground, or the launched program itself, which may be a wrapper but not a shell. */
function isAgentIn(panePid: number, harness: string): boolean | undefined {
  const group = foregroundOf(panePid)
  if (group === undefined) return undefined
  if (harnessIn(group)?.adapter.harness === harness) return true
  const name = nameOf(panePid)
  if (name === undefined) return undefined
  return groupIdOf(panePid) === group && !isShell(name, argvOf(panePid))
}
