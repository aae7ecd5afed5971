import { copilotUnderTest } from '../support/agents/copilot-agent.ts'
import { tool, uses } from '../support/model/reply.ts'
import { programTest } from '../support/tests/program-test.ts'
import { describeScreenAlone } from '../support/tests/screen-alone.ts'

describeScreenAlone(programTest(copilotUnderTest, { agentFor: 'file' }), {
  title: 'Copilot CLI',
  harness: 'copilot',
  running: (command) => uses(tool('bash', { command, description: 'As asked', mode: 'sync' })),
  writing: (path, text) => uses(tool('create', { path, file_text: text })),
  asking: (message, choices) => {
    const choice = { type: 'string', title: 'Choice', enum: choices }
    const requestedSchema = { type: 'object', properties: { choice }, required: ['choice'] }
    return uses(tool('ask_user', { message, requestedSchema }))
  },
  // Twice, but not at once: that would be another key.
  interrupt: (agent) => agent.pressUntil('Escape', (shown) => !/^ \S Working\b/m.test(shown), 300),
  refused: 'Authentication failed',
})
