import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Every process with this variable in its environment: whatever a world has started, directly or not. Empty if
 * there is no `/proc`.
 */
export function processesWith(variable: string, value: string): { pid: number; argv: string }[] {
  if (!existsSync('/proc/self/environ')) return []
  const wanted = `${variable}=${value}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const environ = environmentOf(Number(name))
      if (!environ?.split('\0').includes(wanted) || isZombie(Number(name))) return []
      return [{ pid: Number(name), argv: readProc(`${name}/cmdline`)?.replaceAll('\0', ' ') ?? '' }]
    })
}

/** While a process becomes another program, it has neither arguments nor an environment. */
function environmentOf(pid: number): string | undefined {
  const isBecoming = () =>
    readProc(`${pid}/cmdline`) === '' && linkOf(`/proc/${pid}/exe`) !== '' && !isZombie(pid)
  let environ = readProc(`${pid}/environ`)
  while (environ === '' && isBecoming()) environ = readProc(`${pid}/environ`)
  return environ === '' ? readProc(`${pid}/environ`) : environ
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch {
    return false
  }
}

/** Every process whose working directory is this one. */
export function processesIn(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && linkOf(`/proc/${name}/cwd`) === directory)
    .map(Number)
}

/** Local addresses on which this process itself listens, as `/proc/net/tcp{,6}` writes them. */
export function listenersOf(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const socket = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))
      return socket ? [socket[1]] : []
    }),
  )
  return ['net/tcp', 'net/tcp6', 'net/udp', 'net/udp6'].flatMap((table) =>
    (readProc(`${pid}/${table}`) ?? '')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(
        (fields) => inodes.has(fields[9]) && (fields[3] === '0A' || table.startsWith('net/udp')),
      )
      .map((fields) => `${table} ${fields[1]}`),
  )
}

function isZombie(pid: number): boolean {
  const stat = readProc(`${pid}/stat`) ?? ''
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return undefined
  }
}
