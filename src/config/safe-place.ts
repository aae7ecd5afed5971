import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { TrailBossError } from '../core/errors.ts'

const WRITABLE_BY_OTHERS = 0o002
const STICKY = 0o1000

/**
 * A directory above `home` in which everybody may rename and remove what others have made, so that anybody could
 * put their own home in its place. Undefined if there is none.
 */
export function openParentOf(home: string): string | undefined {
  // A link may lead elsewhere: what is above it counts, and so does what is above its target.
  return [...parentsOf(home), ...parentsOf(realHome(home))].find((dir) => {
    const mode = statSync(dir, { throwIfNoEntry: false })?.mode ?? 0
    return (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0
  })
}

export function requireSafePlace(home: string): void {
  const open = openParentOf(home)
  if (open === undefined) return
  throw new TrailBossError(
    'UNSAFE_HOME',
    `Every user can write to ${open}, so anybody could replace ${home}.`,
    { hint: howToClose(open) },
  )
}

export function howToClose(open: string): string {
  return `Close it (chmod o-w '${open}') or make it sticky (chmod +t '${open}'), or set TRAILBOSS_HOME to a directory elsewhere.`
}

function parentsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...parentsOf(parent)]
}

/** Resolves the part of the path that already exists. */
function realHome(home: string): string {
  if (lstatSync(home, { throwIfNoEntry: false })) return realpathSync(home)
  const parent = dirname(home)
  return parent === home ? home : `${realHome(parent)}/${home.slice(parent.length)}`
}
