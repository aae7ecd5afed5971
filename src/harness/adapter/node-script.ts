import { basename } from 'node:path'

/** The script that Node runs in a process: the first argument that is not an option. Undefined for other programs. */
export function nodeScript({
  name,
  argv,
}: {
  name: string
  argv: readonly string[]
}): string | undefined {
  if (!/^(?:node|bun|MainThread)/.test(name)) return undefined
  return argv.slice(1).find((word) => !word.startsWith('-'))
}

/** By its own name if it runs as its own program, else by the name of its file. */
export function isNodeProgram(
  process: { name: string; argv: readonly string[] },
  { command, file }: { command: string; file: RegExp },
): boolean {
  if (process.name === command) return true
  const script = nodeScript(process)
  return script !== undefined && (basename(script) === command || file.test(script))
}

/** It answers a prompt and exits: because it was asked to, or because nobody could type. */
export function isPromptedOnce({
  argv,
  hasTerminal,
}: {
  argv: readonly string[]
  hasTerminal: boolean
}): boolean {
  return !hasTerminal || argv.some((word) => /^(?:-p|--prompt)(?:=|$)/.test(word))
}
