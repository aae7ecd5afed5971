import { opencodeUnderTest } from '../agents/opencode-agent.ts'
import { programTest } from './program-test.ts'

/** One opencode per file: a start takes some seconds. */
export function opencodeTest(options: { hooks?: boolean } = {}) {
  return programTest(opencodeUnderTest(options), { agentFor: 'file' })
}
