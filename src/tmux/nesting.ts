import { isSamePane, type PaneRef } from '../core/pane.ts'

/** A terminal that is attached to a tmux server. */
export type AttachedClient = {
  socket: string
  /** Its terminal, which tmux uses as its name. */
  name: string
  /** The tmux session and the pane that it shows. */
  session: string
  shows: string
  /** When somebody last pressed a key there, epoch seconds. */
  activity: number
  /** The client's process. */
  pid?: number
  /** The pane of another server that it runs in: tmux in tmux. */
  runsIn: PaneRef | undefined
}

/** The clients of some servers, and the sessions that their panes are in; a pane can be in several. */
export type Nesting = {
  clients: readonly AttachedClient[]
  sessionsOf(pane: PaneRef): ReadonlySet<string>
}

/** One client that must show a pane of its server. */
export type Hop = { client: { socket: string; name: string }; pane: string; isThere: boolean }

/**
 * Which client must show which pane, outermost first, so that the operator sees `pane` without leaving the
 * terminal: their own client shows the pane with a client of the next server, and so on. Undefined: there is no
 * way.
 */
export function wayTo(
  pane: PaneRef,
  from: { socket: string; name: string },
  nesting: Nesting,
): Hop[] | undefined {
  return search(pane, clientsAround(from, nesting), nesting, new Set())
}

/** The pane that somebody looking at `pane` really sees: that of a client that runs in it. */
export function innermostPane(pane: PaneRef, { clients }: Nesting): PaneRef {
  const seen = new Set<string>()
  let current = pane
  while (!seen.has(current.socket)) {
    seen.add(current.socket)
    const host = current
    const inside = mostActive(clients.filter(({ runsIn }) => isSamePane(runsIn, host)))
    if (inside) current = { socket: inside.socket, id: inside.shows }
  }
  return current
}

type Held = { socket: string; name: string; shows: string | undefined }

function search(
  pane: PaneRef,
  held: readonly Held[],
  nesting: Nesting,
  seen: ReadonlySet<string>,
): Hop[] | undefined {
  const own = held.find(({ socket }) => socket === pane.socket)
  if (own) return [hop(own, pane)]
  if (seen.has(pane.socket)) return undefined
  for (const client of byFitness(pane, nesting)) {
    const outer =
      client.runsIn && search(client.runsIn, held, nesting, new Set([...seen, pane.socket]))
    if (outer) return [...outer, hop(client, pane)]
  }
  return undefined
}

/** The client itself, then the one that shows its pane, and so on outwards. */
function clientsAround(from: { socket: string; name: string }, { clients }: Nesting): Held[] {
  const held: Held[] = [{ ...from, shows: undefined }]
  let client = clients.find(({ socket, name }) => socket === from.socket && name === from.name)
  if (client) held[0] = client
  while (client?.runsIn) {
    const host: PaneRef = client.runsIn
    const around = clients.filter(({ socket }) => socket === host.socket)
    client = mostActive(around.filter(({ shows }) => shows === host.id)) ?? mostActive(around)
    if (!client || held.some(({ socket }) => socket === host.socket)) break
    held.push(client)
  }
  return held
}

/** One that already shows the pane, else one in its tmux session, else the one used last. */
function byFitness(pane: PaneRef, { clients, sessionsOf }: Nesting): AttachedClient[] {
  const sessions = sessionsOf(pane)
  const fitness = ({ shows, session }: AttachedClient) =>
    shows === pane.id ? 2 : sessions.has(session) ? 1 : 0
  return clients
    .filter(({ socket }) => socket === pane.socket)
    .toSorted((a, b) => fitness(b) - fitness(a) || b.activity - a.activity)
}

function mostActive(clients: readonly AttachedClient[]): AttachedClient | undefined {
  return clients.toSorted((a, b) => b.activity - a.activity)[0]
}

function hop({ socket, name, shows }: Held, pane: PaneRef): Hop {
  return { client: { socket, name }, pane: pane.id, isThere: shows === pane.id }
}
