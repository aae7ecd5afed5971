import { type GeminiHome, geminiUnderTest } from '../agents/gemini-agent.ts'
import { programTest } from './program-test.ts'

/** One Gemini CLI per file: a start takes some seconds. */
export function geminiTest(options: GeminiHome = {}) {
  return programTest(geminiUnderTest(options), { agentFor: 'file' })
}
