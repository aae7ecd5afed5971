import { createServer } from 'node:http'

export type Posted = { method: string; path: string; body: unknown }

/** Answers and keeps every request: what a daemon would receive, without a daemon. */
export async function startCollector(
  socket: string,
): Promise<AsyncDisposable & { posts: Posted[] }> {
  const posts: Posted[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      posts.push({ method: request.method ?? '', path: request.url ?? '', body })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    posts,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
