/** Where a pane is said to be. */
export type PaneRef = {
  socket: string
  id: string
  /** The server's pid, where it is known: ids come back after a server restart. */
  server?: number
  /** The pid of the pane's own process, where a hook was seen to descend from it. */
  pid?: number
}

/**
 * One pane and no other: ids come back after a server restart, and a pane that is respawned keeps its id. It can
 * be written to and ended.
 */
export type Pane = Required<PaneRef>

/** Both name one pane of one socket. Whether its server or its process is still the same is another question. */
export function isSamePane(a: PaneRef | undefined, b: PaneRef | undefined): boolean {
  return a !== undefined && a.id === b?.id && a.socket === b.socket
}

/** Both are one pane of one server, with one process in it; or there is none. */
export function isUnchangedPane(a: PaneRef | undefined, b: PaneRef | undefined): boolean {
  return a === b || (isSamePane(a, b) && a?.server === b?.server && a?.pid === b?.pid)
}
