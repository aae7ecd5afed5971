import { type ConfCommand, confCommands } from './conf-commands.ts'
import { canonicalKey } from './key-name.ts'

/** A key as it was written and the words that it is bound to. */
export type Binding = { key: string; command: string[] }

/** The prefix table, by `canonicalKey`. */
export type Bindings = Map<string, Binding>

/**
 * Reads a tmux.conf, or the output of `list-keys`. All branches of `%if` and `if-shell` count. `sourced` are
 * the paths of `source-file`, as written.
 */
export function readBindings(text: string): { bindings: Bindings; sourced: string[] } {
  const bindings: Bindings = new Map()
  const sourced: string[] = []
  const follow = (commands: ConfCommand[]) => {
    for (const { words } of commands) {
      const [name = '', ...args] = words
      if (isCommand(name, 'bind-key', 'bind')) bind(bindings, args)
      else if (isCommand(name, 'unbind-key', 'unbind')) unbind(bindings, args)
      else if (isCommand(name, 'source-file', 'source')) sourced.push(...parse(args, 't').rest)
      else if (isCommand(name, 'if-shell', 'if')) {
        for (const branch of parse(args, 't').rest.slice(1)) follow(confCommands(branch))
      }
    }
  }
  follow(confCommands(text))
  return { bindings, sourced }
}

function bind(bindings: Bindings, args: string[]): void {
  const { flags, rest } = parse(args, 'NT')
  const [key, ...command] = rest
  if (key !== undefined && isPrefixTable(flags)) bindings.set(canonicalKey(key), { key, command })
}

function unbind(bindings: Bindings, args: string[]): void {
  const { flags, rest } = parse(args, 'T')
  if (!isPrefixTable(flags)) return
  if (flags.has('a')) bindings.clear()
  else if (rest[0] !== undefined) bindings.delete(canonicalKey(rest[0]))
}

function isPrefixTable(flags: Map<string, string>): boolean {
  return !flags.has('n') && (flags.get('T') ?? 'prefix') === 'prefix'
}

/** tmux accepts a command by its alias, which starts its name, or by more of the name. */
function isCommand(word: string, name: string, alias: string): boolean {
  return word.length >= alias.length && name.startsWith(word)
}

/** Parses flags like getopt; those in `withValue` take a value. */
function parse(args: string[], withValue: string): { flags: Map<string, string>; rest: string[] } {
  const flags = new Map<string, string>()
  let at = 0
  while (at < args.length) {
    const word = args[at]!
    if (word === '--') return { flags, rest: args.slice(at + 1) }
    if (!/^-./.test(word)) break
    at++
    for (let i = 1; i < word.length; i++) {
      const flag = word[i]!
      if (!withValue.includes(flag)) {
        flags.set(flag, '')
        continue
      }
      flags.set(flag, word.slice(i + 1) || (args[at++] ?? ''))
      break
    }
  }
  return { flags, rest: args.slice(at) }
}
