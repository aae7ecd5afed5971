import {
  BRIDGE,
  type BridgeMount,
  type ManagedHarness,
  requireSession,
} from '../adapter/managed.ts'
import { composer } from './composer.ts'

/** Claude Code (2.1.325) in a pane of ours. */
export const managed: ManagedHarness = {
  launch({ binary = 'claude', args, prompt, resume, bridge }) {
    const argv = [binary, ...args]
    if (resume !== undefined) argv.push('--resume', requireSession('Claude Code', resume))
    if (bridge) argv.push(...mount(bridge))
    if (prompt !== undefined) argv.push('--', prompt)
    // A grey suggestion in the composer would look like a draft.
    const env = { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false', ...bridge?.env }
    return { argv, env, isPrompted: true }
  },
  mountsBridge: true,
  composer,
  oneTimeAnswers: ['Yes'],
  exitKeys: ['C-c', 'C-c'],
}

/** Uses `=` because both options would also take whatever follows. */
function mount({ command, args, env }: BridgeMount): string[] {
  const passedOn = Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`]))
  const server = { type: 'stdio', command, args, env: passedOn }
  const config = JSON.stringify({ mcpServers: { [BRIDGE]: server } })
  return [`--mcp-config=${config}`, `--allowedTools=mcp__${BRIDGE}`]
}
