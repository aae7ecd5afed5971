/** A key as tmux names it, from a strict list, so that accepted names need no quoting anywhere. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name)
}

/**
 * One spelling per key, only for comparing: tmux accepts `^a`, `C-a`, `pgup`, `PPage`, `M-C-x` and prints one
 * of them, depending on its version. `C-i` is Tab on most terminals.
 */
export function canonicalKey(name: string): string {
  const control = /^\^(.)$/.exec(name)
  const spelled = control ? `C-${control[1]}` : name
  const modifiers = /^(?:[CMS]-)*/i.exec(spelled)![0]
  const base = spelled.slice(modifiers.length)
  const named = base.length === 1 ? base : base.toLowerCase()
  const held = [...new Set(modifiers.toUpperCase().split('-').filter(Boolean))].sort()
  const key = [...held, ALIASES[named] ?? named].join('-')
  return CONTROL_TWINS[key.toLowerCase()] ?? key
}

const KEY_NAME =
  /^(?:[CMS]-){0,3}(?:[A-Za-z0-9.,/=+@_-]|Tab|BTab|Space|Enter|Escape|BSpace|Up|Down|Left|Right|Home|End|PageUp|PgUp|PPage|PageDown|PgDn|NPage|Insert|IC|Delete|DC|F[1-9]|F1[0-2])$/

const ALIASES: Record<string, string> = {
  pageup: 'ppage',
  pgup: 'ppage',
  pagedown: 'npage',
  pgdn: 'npage',
  insert: 'ic',
  delete: 'dc',
}

const CONTROL_TWINS: Record<string, string> = {
  'c-i': 'tab',
  'c-m': 'enter',
  'c-[': 'escape',
  's-tab': 'btab',
}
