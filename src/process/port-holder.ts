import { programNameOf } from './command.ts'
import { allPids, openFilesOf, socketTables } from './linux.ts'

/** Who listens on a port of 127.0.0.1. `pid` is undefined if we may not look into the process. */
export type PortHolder = { uid: number; pid: number | undefined; name: string | undefined }

/** Undefined if nobody does, or if that is not visible. */
export function holderOf(port: number): PortHolder | undefined {
  const [socket] = socketTables().flatMap((table) => listenersIn(table, port))
  if (!socket) return undefined
  const pid = allPids().find((one) => openFilesOf(one).includes(`socket:[${socket.inode}]`))
  return { uid: socket.uid, pid, name: pid === undefined ? undefined : programNameOf(pid) }
}

/** As the kernel writes them: loopback and any address, in IPv4 and mapped into IPv6. */
const CONFLICTING = new Set([
  '0100007F',
  '00000000',
  '0000000000000000FFFF00000100007F',
  '00000000000000000000000000000000',
])
const LISTENING = '0A'

/** The sockets in such a table that keep others from listening on this port of 127.0.0.1. */
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
