import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { TrailBossError } from '../../core/errors.ts'

/** Binds the unix socket, 0600. The caller holds the lock, so an existing socket is a dead one. */
export async function listenUnix(app: Hono, path: string): Promise<Server> {
  removeDeadSocket(path)
  const server = serverFor(app)
  await listening(server, { path })
  chmodSync(path, 0o600)
  return server
}

/** Binds 127.0.0.1 and nothing else. */
export async function listenTcp(app: Hono, port: number): Promise<Server> {
  const server = serverFor(app)
  await listening(server, { port, host: '127.0.0.1' })
  return server
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function serverFor(app: Hono): Server {
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 5_000 },
    getRequestListener(app.fetch),
  )
  server.maxConnections = 1_024
  return server
}

function listening(
  server: Server,
  where: { path: string } | { port: number; host: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function removeDeadSocket(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isSocket()) {
    throw new TrailBossError('UNSAFE_HOME', `${path} is there and is not a socket.`, {
      hint: 'Move it away; it is not ours.',
    })
  }
  unlinkSync(path)
}
