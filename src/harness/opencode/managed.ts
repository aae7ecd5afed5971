import {
  BRIDGE,
  type BridgeMount,
  type ManagedHarness,
  requireSession,
} from '../adapter/managed.ts'
import { composer } from './composer.ts'

/** opencode (1.18.33) in a pane of ours. */
export const managed: ManagedHarness = {
  launch({ binary = 'opencode', args, prompt, resume, bridge }) {
    const argv = [binary, ...args]
    if (resume !== undefined) argv.push('--session', requireSession('opencode', resume))
    // opencode ignores the prompt when it resumes a session.
    const isPrompted = prompt === undefined || resume === undefined
    if (prompt !== undefined && isPrompted) argv.push(`--prompt=${prompt}`)
    const env = bridge ? { ...bridge.env, OPENCODE_CONFIG_CONTENT: settings(bridge) } : {}
    return { argv, env, isPrompted }
  },
  mountsBridge: true,
  composer,
  // It marks them only by their colours, which its text does not show.
  oneTimeAnswers: [],
  exitKeys: ['C-c'],
}

/** They add to those in the operator's files. */
function settings({ command, args, env }: BridgeMount): string {
  const environment = Object.fromEntries(Object.keys(env).map((name) => [name, `{env:${name}}`]))
  const server = { type: 'local', command: [command, ...args], environment, enabled: true }
  return JSON.stringify({ mcp: { [BRIDGE]: server } })
}
