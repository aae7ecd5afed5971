import type { GeminiAgent } from '../support/gemini-agent.ts'
import { geminiTest } from '../support/gemini-test.ts'
import { describeManaged } from '../support/managed.ts'
import type { ProgramWorld } from '../support/program-world.ts'

describeManaged<GeminiAgent, ProgramWorld<GeminiAgent>>(geminiTest(), {
  title: 'Gemini CLI',
  harness: 'gemini',
  start: (real, options) => real.start(options),
})
