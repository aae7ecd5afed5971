import type { GeminiAgent } from '../support/agents/gemini-agent.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'
import { describeManaged } from '../support/tests/managed.ts'

describeManaged<GeminiAgent, ProgramWorld<GeminiAgent>>(geminiTest(), {
  title: 'Gemini CLI',
  harness: 'gemini',
  start: (real, options) => real.start(options),
})
