import { mkdtempSync, rmSync } from 'node:fs'
import { request, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { http } from '../../test/support/http.ts'
import { closeServer, listenUnix } from '../daemon/http/listen.ts'
import { problemResponse } from './problem.ts'
import { boundedBody, jsonOf } from './request-body.ts'

const MIB = 1024 * 1024
let dir: string
let socket: string
let server: Server
const stalled: Socket[] = []

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-body-'))
  socket = join(dir, 's')
  const app = new Hono()
  app.onError(problemResponse)
  app.use(boundedBody(4 * MIB))
  app.post('/', async (c) => c.json({ length: JSON.stringify(await jsonOf(c.req.raw)).length }))
  server = await listenUnix(app, socket)
})
afterEach(async () => {
  for (const one of stalled.splice(0)) one.destroy()
  await closeServer(server)
  rmSync(dir, { recursive: true, force: true })
})

const post = (body: string | Buffer) => http({ socket }, '/', { method: 'POST', body })

/** Does not declare the size. */
function postInChunks(body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'transfer-encoding': 'chunked' }
    const sent = request({ socketPath: socket, method: 'POST', path: '/', headers })
    sent.on('response', (response) => resolve(response.resume().statusCode))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Declares this many bytes, and sends one. Resolves when the connection is closed. */
function stall(bytes: number): Promise<void> {
  const one = connect(socket)
  stalled.push(one)
  one.on('error', () => {})
  one.resume()
  one.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n{`)
  return new Promise((resolve) => one.on('close', () => resolve()))
}

test('a body is read whole, whatever its size and its chunks', async () => {
  for (const length of [1, 1_000, 300_000, 3 * MIB]) {
    const body = JSON.stringify('ä'.repeat(length / 2) || 'x')
    expect(JSON.parse((await post(body)).text)).toEqual({ length: JSON.parse(body).length + 2 })
  }
  expect(await postInChunks(JSON.stringify('x'.repeat(MIB)))).toBe(200)
  expect((await post(Buffer.from('\ufeff{}'))).status).toBe(200)
})

test('a body that is too large is refused, by its declared and by its actual size', async () => {
  const body = JSON.stringify('x'.repeat(4 * MIB))
  expect((await post(body)).status).toBe(413)
  expect(await postInChunks(body)).toBe(413)
})

test('stalled senders are dropped, and neither they nor large bodies keep the others waiting', async () => {
  const large = Array.from({ length: 3 }, () => stall(2 * MIB))
  expect((await post('{}')).status).toBe(200)
  const small = Array.from({ length: 100 }, () => stall(200_000))
  const waiting = [post('{}'), post(JSON.stringify('x'.repeat(2 * MIB)))]
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
  await Promise.all([...large, ...small.slice(0, 10)])
})
