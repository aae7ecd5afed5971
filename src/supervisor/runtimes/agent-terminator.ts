import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { managedHarness } from '../../harness/registry.ts'
import { pressKey } from '../../tmux/write/guarded-write.ts'
import { killPane } from '../../tmux/write/runtime-panes.ts'
import { type AuditEntry, OURSELVES } from '../context/context.ts'

/** Some need the second key soon after the first, and none accepts both at once. */
const BETWEEN_KEYS_MS = 300

/** A program may take a while to end, and more keys would not speed it up. */
const PRESS_AGAIN_MS = 3_000

/** Ends what runs in the pane of a runtime: as its operator would, or by closing exactly that pane. */
export class AgentTerminator {
  readonly #audit: (entry: AuditEntry) => void
  readonly #keep: (runtime: Runtime) => Promise<void>
  readonly #pressedAt = new Map<string, number>()

  /** `keep` saves what is on its screen before the pane is closed. */
  constructor(audit: (entry: AuditEntry) => void, keep: (runtime: Runtime) => Promise<void>) {
    this.#audit = audit
    this.#keep = keep
  }

  async end(runtime: Runtime, manner: 'gracefully' | 'at-once'): Promise<void> {
    const pane = paneIn(runtime)
    if (!pane) return
    const { agentId, runtimeId } = runtime
    const about = { actor: OURSELVES, agentId, runtimeId }
    if (manner === 'at-once') {
      await this.#keep(runtime).catch(() => undefined)
      const { kind } = await killPane(pane)
      this.#audit({ ...about, kind: 'pane_closed', result: kind === 'killed' ? 'ok' : kind })
      return
    }
    const now = performance.now()
    if (now - (this.#pressedAt.get(runtimeId) ?? -PRESS_AGAIN_MS) < PRESS_AGAIN_MS) return
    this.#pressedAt.set(runtimeId, now)
    for (const key of managedHarness(runtime.harness).managed.exitKeys) {
      const { kind } = await pressKey(pane, key)
      this.#audit({ ...about, kind: 'key_pressed', detail: key, result: resultOf(kind) })
      if (kind !== 'sent') return
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS))
    }
  }
}

/** A stopped runtime has nothing left to read in its pane. */
export async function closePane(runtime: Runtime): Promise<void> {
  const pane = paneIn(runtime)
  if (pane) await killPane(pane)
}

function resultOf(kind: 'sent' | 'refused' | 'unknown'): string {
  return kind === 'sent' ? 'ok' : kind
}
