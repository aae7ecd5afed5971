import { describeManaged } from './support/managed.ts'
import type { RealAgent } from './support/real-agent.ts'
import { realTest } from './support/real-test.ts'
import type { RealWorld } from './support/real-world.ts'

describeManaged<RealAgent, RealWorld>(realTest(), {
  title: 'Claude Code',
  harness: 'claude-code',
  tool: 'mcp__trailboss__whoami',
  start: (real, options) => real.start(undefined, options),
})
