import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Gate, Reply } from './reply.ts'

/** One request as the model saw it: a witness of who worked when that owes nothing to the product. */
export type Witnessed = {
  /** Epoch ms: received, first byte out, last byte out or given up by the client. */
  at: number
  firstByteAt?: number
  endedAt?: number
  aborted?: boolean
  session: string
  /** The text that was answered: the operator's prompt, a subagent's, a task notification. */
  prompt: string
  /** All that the user has said in this conversation, where the dialect tells. */
  said?: string[]
  /** What the client sent last: a prompt, or the results of the tools it ran. */
  results: string[]
  tools: number
  status: number
}

export type Message = Extract<Reply, { kind: 'message' }>

/** How one kind of model is spoken to. */
export type ModelDialect = {
  isRequest(path: string): boolean
  /** A question that the program itself asks about a conversation, beside it: no plan and no witness is about it. */
  isAside?(prompt: string): boolean
  /** What a request asks, and who does. */
  read(
    body: unknown,
    headers: IncomingHttpHeaders,
    isPlanned: (text: string) => boolean,
  ): Pick<Witnessed, 'session' | 'prompt' | 'said' | 'results' | 'tools'>
  /** The body of an HTTP error. */
  problem(status: number, message: string): unknown
  stream(response: ServerResponse, reply: Message, seen: Witnessed, body: unknown): Promise<void>
}

export async function waitAt(gate: Gate): Promise<void> {
  gate.reach()
  await gate.opened
}

let numbered = 0
export function nextNumber(): string {
  numbered += 1
  return `${Date.now()}${String(numbered).padStart(4, '0')}`
}
