import { existsSync, readFileSync } from 'node:fs'

const MEMORY = '/dev/shm'

/** Variables that put temporary files in memory: a disk that is busy can hold up a database for many seconds. */
export const inMemory = canRunProgramsIn(MEMORY) ? { TMPDIR: MEMORY } : {}

/** Tests run the programs that they write. Containers often mount this place without that. */
function canRunProgramsIn(directory: string): boolean {
  if (!existsSync('/proc/mounts')) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts
    .map((line) => line.split(' '))
    .find(([, place]) => place === directory)?.[3]
  return options !== undefined && !options.split(',').includes('noexec')
}
