import { request } from 'node:http'

export type HttpAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

export type HttpRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  /** Sent verbatim if it is a string or bytes, otherwise as JSON. */
  body?: unknown
}

/** One request to `where`: a unix socket's path, or a port of 127.0.0.1. */
export function http(
  where: { socket: string } | { port: number },
  path: string,
  { method = 'GET', headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
  const address =
    'socket' in where ? { socketPath: where.socket } : { host: '127.0.0.1', port: where.port }
  const bytes = bodyBytes(body)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...address,
        path,
        method,
        agent: false,
        timeout: 10_000,
        headers: {
          ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        )
        response.on('error', reject)
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path} in 10 s`)))
    sent.on('error', reject)
    sent.end(bytes)
  })
}

function bodyBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
