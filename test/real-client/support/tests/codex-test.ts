import { type CodexHome, codexUnderTest } from '../agents/codex-agent.ts'
import { programTest } from './program-test.ts'

/** A fresh Codex for every test that asks for `agent`: a start takes half a second. */
export function codexTest(options: CodexHome & { hooks?: boolean } = {}) {
  return programTest(codexUnderTest(options), { agentFor: 'test' })
}
