/**
 * A small MCP server over stdio: `note` just runs, `choose` asks the operator for a horse first, `whoami` says
 * what its environment says.
 */
import { createInterface } from 'node:readline'

const TOOLS = [
  {
    name: 'note',
    description: 'Writes a note',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, seconds: { type: 'number' } },
    },
  },
  {
    name: 'choose',
    description: 'Asks for a horse',
    inputSchema: { type: 'object', properties: {} },
  },
  {
    name: 'whoami',
    description: 'Says who you are',
    inputSchema: { type: 'object', properties: {} },
  },
]
const HORSE = {
  type: 'object',
  properties: { horse: { type: 'string', title: 'Horse', enum: ['Buck', 'Dolly'] } },
  required: ['horse'],
}

const pending = new Map()
let lastId = 0

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue
  const message = JSON.parse(line)
  if (message.method === undefined) pending.get(message.id)?.(message.result ?? {})
  else if (message.id !== undefined)
    handle(message).then((result) => send({ id: message.id, result }))
}

async function handle({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'ranch', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools: TOOLS }
    case 'tools/call':
      if (params.name === 'whoami') return text(`You are ${process.env['RANCH_TOKEN']}`)
      return params.name === 'choose' ? choose() : note(params.arguments ?? {})
    default:
      return {}
  }
}

async function note({ text: noted = '', seconds = 0 }) {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  return text(`Noted: ${noted}`)
}

async function choose() {
  const { action, content } = await ask('elicitation/create', {
    message: 'Which horse for the long ride?',
    requestedSchema: HORSE,
  })
  return text(action === 'accept' ? `Chosen: ${content?.horse}` : `Not chosen: ${action}`)
}

function ask(method, params) {
  lastId += 1
  const id = `ask-${lastId}`
  send({ id, method, params })
  return new Promise((resolve) => pending.set(id, resolve))
}

function text(content) {
  return { content: [{ type: 'text', text: content }] }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
