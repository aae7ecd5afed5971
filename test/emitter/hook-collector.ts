import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** What the collector does with a request whose body it has read: a status, or no answer at all. */
export type Answer = number | 'never'

type Received = { method: string; path: string; type: string; body: Buffer }

export type HookCollector = AsyncDisposable & { received: Received[] }

/** Stands in for the daemon on its socket and keeps every body, byte for byte. */
export async function startHookCollector(
  socket: string,
  answer: Answer = 204,
): Promise<HookCollector> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (!body) return
    received.push({
      method: request.method ?? '',
      path: request.url ?? '',
      type: request.headers['content-type'] ?? '',
      body,
    })
    reply(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    received,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer !== 'never') response.writeHead(answer).end()
}

/** Nothing when the client went away in the middle. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}
