import { describeManaged } from '../support/managed.ts'
import type { OpencodeAgent } from '../support/opencode-agent.ts'
import { opencodeTest } from '../support/opencode-test.ts'
import type { ProgramWorld } from '../support/program-world.ts'

describeManaged<OpencodeAgent, ProgramWorld<OpencodeAgent>>(opencodeTest(), {
  title: 'opencode',
  harness: 'opencode',
  tool: 'trailboss_whoami',
  start: (real, options) => real.start(options),
})
