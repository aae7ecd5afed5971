import { createHash } from 'node:crypto'
import type { DecisionBody, DecisionOutcome } from '../../contract/decision.ts'
import { ASK_INPUT_CHARS, isJsonWithin } from '../../contract/limits.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { inputText } from '../../core/decision/input-text.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { truncate, visibleText } from '../../core/text.ts'

const STORED_CHARS = 16_000

/** Not stored: only while the asker waits do we have what it asks with all its secrets. */
export type Whole = { text: string; input: unknown; options: string[] }

/** A new decision, as it is stored: without secrets, and short. */
export function decisionOf(
  body: DecisionBody,
  whole: Whole,
  digest: string,
  askedAt: number,
): Decision {
  const { id, asker, tool, options = [], deadline } = body
  return {
    id,
    asker: {
      name: redacted(asker.name),
      id: askerId(asker),
      ...(asker.cwd !== undefined && { cwd: redacted(asker.cwd) }),
    },
    kind: tool === undefined ? 'question' : 'permission',
    text: redacted(truncate(whole.text, STORED_CHARS)),
    ...(tool !== undefined && { tool: redacted(tool) }),
    options: options.map(redacted),
    digest,
    ...(whole.text.length > STORED_CHARS && { isCut: true }),
    askedAt,
    ...(deadline !== undefined && { deadline }),
    state: { kind: 'pending' },
  }
}

/** The same for the same asker, without a secret in it. */
function askerId({ id, name, cwd = '' }: DecisionBody['asker']): string {
  const whole = id ?? `${name}@${cwd}`
  return redacted(whole) === whole ? whole : hashOf(whole)
}

export function wholeOf({ tool, input, question, options = [] }: DecisionBody): Whole {
  const parts = [question, ...(tool === undefined ? [] : [inputText(tool, input)])]
  return { text: visibleText(parts.filter(Boolean).join('\n\n')), input, options }
}

/** What its item shows; a long input is shown by its text alone. */
export function shownAsk({ text, tool, asker, askedAt }: Decision, input: unknown) {
  const isSmall = input !== undefined && isJsonWithin(input, ASK_INPUT_CHARS)
  const permission = tool === undefined ? {} : { permission: { tool, ...(isSmall && { input }) } }
  const label = tool === undefined ? ('asks' as const) : ('permission' as const)
  return { text, ...permission, label, since: askedAt, cwd: asker.cwd }
}

/** What keeping it costs, about. */
export function sizeOf({ input, text }: Whole): number {
  return (JSON.stringify(input) ?? '').length + text.length
}

export function digestOf({ asker, tool, input, question, options }: DecisionBody): string {
  return hashOf(JSON.stringify([asker, tool, input, question, options]))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function outcomeOf({ id, state }: Decision): DecisionOutcome {
  switch (state.kind) {
    case 'answered': {
      const { kind: _, at: __, isChanged: ___, isTaken: ____, ...answer } = state
      return { id, outcome: 'answered', ...answer }
    }
    case 'withdrawn':
      return { id, outcome: 'withdrawn', why: state.why }
    case 'pending':
      throw new Error('it is not settled')
    default:
      return state satisfies never
  }
}

export function titleOf({ id, asker, tool }: Decision): string {
  return `${id}: ${truncate(asker.name, 100)} asks ${tool === undefined ? 'a question' : `to use ${truncate(tool, 100)}`}`
}
