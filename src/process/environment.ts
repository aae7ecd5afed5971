import { directoryOf, readEnvironment } from './linux.ts'

export { directoryOf }

/** Reads only these variables of one of our processes: others may be secrets. */
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
