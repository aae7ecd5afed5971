/** Where a pane claims to be. */
export type PaneRef = {
  socket: string
  id: string
  /** The server's pid, if known: ids are reused after a server restart. */
  server?: number
  /** The pid of the pane's own process, if we saw that a hook descends from it. */
  pid?: number
}

/**
 * Exactly one pane: ids are reused after a server restart, and a respawned pane keeps its id. This one can be
 * written to and ended.
 */
export type Pane = Required<PaneRef>

/** Both name one pane of one socket. It does not compare server or process. */
export function isSamePane(a: PaneRef | undefined, b: PaneRef | undefined): boolean {
  return a !== undefined && a.id === b?.id && a.socket === b.socket
}

/** Both are one pane of one server, with the same process; or both are undefined. */
export function isUnchangedPane(a: PaneRef | undefined, b: PaneRef | undefined): boolean {
  return a === b || (isSamePane(a, b) && a?.server === b?.server && a?.pid === b?.pid)
}
