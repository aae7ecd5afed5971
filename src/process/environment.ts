import { directoryOf, readEnvironment } from './linux.ts'

export { directoryOf }

/** These variables of a process of ours. No other is looked at: there are keys among them. */
export function environmentOf(
  pid: number,
  wanted: readonly string[],
): Record<string, string | undefined> {
  const found: Record<string, string | undefined> = {}
  for (const entry of (readEnvironment(pid) ?? '').split('\0')) {
    const [name = ''] = entry.split('=', 1)
    if (wanted.includes(name)) found[name] = entry.slice(name.length + 1)
  }
  return found
}
