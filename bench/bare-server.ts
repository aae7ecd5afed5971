import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

/** The minimum for storing an event: an HTTP server that puts each body into SQLite and answers. */
const [, , socket, file] = process.argv
if (!socket || !file) throw new Error('usage: bare-server.ts <socket> <database>')

const db = new DatabaseSync(file)
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE events (body TEXT)')
const insert = db.prepare('INSERT INTO events VALUES (?)')

const server = createServer((request, response) => {
  request.setEncoding('utf8')
  let body = ''
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    insert.run(JSON.stringify(JSON.parse(body)))
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"accepted":1}')
  })
})
server.listen(socket)
