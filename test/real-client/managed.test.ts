import type { RealAgent } from './support/agents/claude-agent.ts'
import type { RealWorld } from './support/real-world.ts'
import { describeManaged } from './support/tests/managed.ts'
import { realTest } from './support/tests/real-test.ts'

describeManaged<RealAgent, RealWorld>(realTest(), {
  title: 'Claude Code',
  harness: 'claude-code',
  tool: 'mcp__trailboss__whoami',
  start: (real, options) => real.start(undefined, options),
})
