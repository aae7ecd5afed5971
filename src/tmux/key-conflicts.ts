import type { Binding, Bindings } from './bindings.ts'
import { canonicalKey } from './key-name.ts'
import { isOurBinding, type KeyAction, type Keys } from './keys.ts'

/** A key that somebody has bound already; `where` says who knows of it. */
export type Conflict = { action: KeyAction; key: string; command: string[]; where: string }

export type Taken = {
  /** What the configuration files bind. */
  files: Bindings
  /** What the running server binds; empty without one. */
  live: Bindings
  /** What tmux binds by itself; not the user's choice, so it may be replaced, and is said. */
  defaults: Bindings
}

export type KeyPlan = {
  /** Those that can be bound. */
  keys: Keys
  conflicts: Conflict[]
  /** Bound although tmux has a binding of its own there. */
  replaced: Conflict[]
}

export function planKeys(wanted: Required<Keys>, { files, live, defaults }: Taken): KeyPlan {
  const plan: KeyPlan = { keys: {}, conflicts: [], replaced: [] }
  for (const [action, key] of Object.entries(wanted) as [KeyAction, string][]) {
    const name = canonicalKey(key)
    const own = defaults.get(name)
    const inFiles = foreign(files.get(name))
    const inServer = foreign(live.get(name))
    if (inFiles) {
      plan.conflicts.push({ action, key, command: inFiles, where: 'your tmux configuration' })
    } else if (inServer && !sameWords(inServer, own?.command)) {
      plan.conflicts.push({ action, key, command: inServer, where: 'the running tmux server' })
    } else {
      plan.keys[action] = key
      if (own) plan.replaced.push({ action, key, command: own.command, where: 'tmux itself' })
    }
  }
  return plan
}

function foreign(binding: Binding | undefined): string[] | undefined {
  return binding && !isOurBinding(binding.command) ? binding.command : undefined
}

function sameWords(one: string[], other: string[] = []): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
