/** Where a pane is said to be. */
export type PaneRef = {
  socket: string
  id: string
  /** The server's pid, where it is known: ids come back after a server restart. */
  server?: number
  /** The pid of the pane's own process, where a hook was seen to descend from it. */
  pid?: number
}

/** Both name one pane of one socket. Whether its server or its process is still the same is another question. */
export function isSamePane(a: PaneRef | undefined, b: PaneRef | undefined): boolean {
  return a !== undefined && a.id === b?.id && a.socket === b.socket
}
