import { query } from '@anthropic-ai/claude-agent-sdk'
import { createCanUseTool } from 'trailboss/agent-sdk'

const [prompt = 'Create a file named hello.txt that greets me.'] = process.argv.slice(2)
const executable = process.env.CLAUDE_EXECUTABLE

const answers = query({
  prompt,
  options: {
    permissionMode: 'default',
    canUseTool: createCanUseTool({ name: 'ask-first', timeoutMs: 30 * 60_000 }),
    // The SDK brings a Claude Code of its own, unless you name yours.
    ...(executable && { pathToClaudeCodeExecutable: executable }),
  },
})
for await (const message of answers) {
  if (message.type !== 'result') continue
  console.log(message.subtype === 'success' ? message.result : message.subtype)
}
