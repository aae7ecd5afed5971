import { qwenUnderTest } from '../agents/qwen-agent.ts'
import { programTest } from './program-test.ts'

/** One Qwen Code per file: a start takes some seconds. */
export function qwenTest(options: Parameters<typeof qwenUnderTest>[0] = {}) {
  return programTest(qwenUnderTest(options), { agentFor: 'file' })
}
