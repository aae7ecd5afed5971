import { programTest } from './program-test.ts'
import { qwenUnderTest } from './qwen-agent.ts'

/** One Qwen Code per file: a start takes some seconds. */
export function qwenTest(options: Parameters<typeof qwenUnderTest>[0] = {}) {
  return programTest(qwenUnderTest(options), { agentFor: 'file' })
}
