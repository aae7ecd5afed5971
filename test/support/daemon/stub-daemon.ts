import { createServer, type ServerResponse } from 'node:http'
import type { QueueItem, QueueView, SkipView } from '../../../src/contract/responses.ts'

/** A daemon that knows only a queue, which the test sets. */
export type StubDaemon = AsyncDisposable & {
  setItems(items: QueueItem[]): void
  skips: { session?: string; harness?: string }[]
  /** What else was posted, and where. */
  posts: [path: string, body: unknown][]
}

export async function startStubDaemon(socket: string, items: QueueItem[]): Promise<StubDaemon> {
  let view: QueueView = { version: 1, items, working: 0 }
  let waiting: ServerResponse[] = []
  const skips: StubDaemon['skips'] = []
  const posts: StubDaemon['posts'] = []

  const setItems = (next: QueueItem[]) => {
    view = { ...view, version: view.version + 1, items: next }
    for (const response of waiting) answer(response, view)
    waiting = []
  }
  const skip = (target: StubDaemon['skips'][number]): SkipView => {
    skips.push(target)
    const skipped = view.items.find((item) => item.session === target.session)
    if (!skipped) return { skipped: null, head: view.items[0] ?? null }
    const cooling = { ...skipped, ready: false, readyAt: Date.now() + 60_000 }
    setItems([...view.items.filter((item) => item !== skipped), cooling])
    return { skipped: cooling, head: view.items[0] ?? null }
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/skip') return answer(response, skip(JSON.parse(body)))
    if (request.method === 'POST') {
      posts.push([url.pathname, JSON.parse(body)])
      return answer(response, { id: 'trg_again', agent: 'ranch/reviewer' })
    }
    const isWaiting = url.searchParams.get('after') === String(view.version)
    return isWaiting ? void waiting.push(response) : answer(response, view)
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    setItems,
    skips,
    posts,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
