import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** Who listens on a port of 127.0.0.1. `pid` is undefined for a process that may not be looked into. */
export type PortHolder = { uid: number; pid: number | undefined; name: string | undefined }

/** Undefined when nobody does, or where that cannot be seen (no /proc). */
export function holderOf(port: number): PortHolder | undefined {
  const [socket] = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    listenersIn(textOf(table) ?? '', port),
  )
  if (!socket) return undefined
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && hasOpen(name, socket.inode))
  return {
    uid: socket.uid,
    pid: pid === undefined ? undefined : Number(pid),
    name: pid === undefined ? undefined : programName(pid),
  }
}

/** By what it was started as: Node and others give their threads names of their own. */
function programName(pid: string): string | undefined {
  const [program = ''] = textOf(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return basename(program) || textOf(`/proc/${pid}/comm`)?.trim() || undefined
}

/** As the kernel writes them: loopback and any address, in IPv4 and mapped into IPv6. */
const CONFLICTING = new Set([
  '0100007F',
  '00000000',
  '0000000000000000FFFF00000100007F',
  '00000000000000000000000000000000',
])
const LISTENING = '0A'

/** The sockets in a table of /proc/net that keep others from listening on this port of 127.0.0.1. */
export function listenersIn(table: string, port: number): { uid: number; inode: string }[] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = '', , state, , , , uid, , inode]) => {
      const [address = '', hexPort = ''] = local.split(':')
      const isIt = state === LISTENING && Number.parseInt(hexPort, 16) === port
      return isIt && inode && CONFLICTING.has(address) ? [{ uid: Number(uid), inode }] : []
    })
}

function hasOpen(pid: string, inode: string): boolean {
  try {
    const directory = `/proc/${pid}/fd`
    return readdirSync(directory).some((fd) => linkOf(`${directory}/${fd}`) === `socket:[${inode}]`)
  } catch {
    return false
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
