import type { Binding, Bindings } from './bindings.ts'
import { canonicalKey } from './key-name.ts'
import { type KeyAction, type Keys, ourAction } from './keys.ts'

/** A key that somebody has already bound; `where` is where we found it. */
export type Conflict = { action: KeyAction; key: string; command: string[]; where: string }

export type Taken = {
  /** What the configuration files bind. */
  files: Bindings
  /** What the running server binds; empty without one. */
  live: Bindings
  /** What tmux binds by itself; not the user's choice, so we may replace it and report that. */
  defaults: Bindings
}

/** A key that is taken, and a free alternative; undefined if none of our spare keys is free. */
export type TakenKey = Conflict & { free: string | undefined }

export type KeyPlan = {
  /** The keys that can be bound. */
  keys: Keys
  conflicts: TakenKey[]
  /** Bound although tmux has its own binding there. */
  replaced: Conflict[]
}

/** `asked`: the actions whose key somebody chose. Any other action with a taken key gets a free one. */
export function planKeys(
  wanted: Keys,
  taken: Taken,
  asked: ReadonlySet<KeyAction> = new Set(),
): KeyPlan {
  const plan: KeyPlan = { keys: {}, conflicts: [], replaced: [] }
  const used = new Set(Object.values(wanted).flatMap((key) => (key ? [canonicalKey(key)] : [])))
  for (const [action, key] of Object.entries(wanted) as [KeyAction, string | undefined][]) {
    if (key === undefined) continue
    const name = canonicalKey(key)
    const foreign = foreignBinding(name, taken)
    const own = taken.defaults.get(name)
    if (!foreign) {
      plan.keys[action] = key
      if (own) plan.replaced.push({ action, key, command: own.command, where: 'tmux itself' })
      continue
    }
    const free = SPARE_KEYS[action].find((spare) => isFree(spare, taken) && !used.has(spare))
    plan.conflicts.push({ action, key, ...foreign, free })
    if (free === undefined) continue
    used.add(free)
    if (!asked.has(action)) plan.keys[action] = free
  }
  return plan
}

/** Suggested in this order. tmux has nothing on them, and few people and plugins do. */
const SPARE_KEYS: Record<KeyAction, readonly string[]> = {
  next: ['N', 'a', 'e', 'M-a'],
  popup: ['G', 'u', 'v', 'M-g'],
  skip: ['Z', 'O', 'W', 'M-z'],
  back: ['b', 'P', 'Y', 'M-b'],
  dismiss: ['D', 'E', 'Y', 'M-x'],
  drain: ['A', 'R', 'X', 'M-d'],
}

function isFree(key: string, taken: Taken): boolean {
  const name = canonicalKey(key)
  return !foreignBinding(name, taken) && !taken.defaults.has(name)
}

function foreignBinding(
  name: string,
  { files, live, defaults }: Taken,
): Pick<Conflict, 'command' | 'where'> | undefined {
  const inFiles = foreign(files.get(name))
  if (inFiles) return { command: inFiles, where: 'your tmux configuration' }
  const inServer = foreign(live.get(name))
  if (!inServer || sameWords(inServer, defaults.get(name)?.command)) return undefined
  return { command: inServer, where: 'the running tmux server' }
}

function foreign(binding: Binding | undefined): string[] | undefined {
  return binding && !ourAction(binding.command) ? binding.command : undefined
}

function sameWords(one: string[], other: string[] = []): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
