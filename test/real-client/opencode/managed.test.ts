import type { OpencodeAgent } from '../support/agents/opencode-agent.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import { describeManaged } from '../support/tests/managed.ts'
import { opencodeTest } from '../support/tests/opencode-test.ts'

describeManaged<OpencodeAgent, ProgramWorld<OpencodeAgent>>(opencodeTest(), {
  title: 'opencode',
  harness: 'opencode',
  tool: 'trailboss_whoami',
  start: (real, options) => real.start(options),
})
