import {
  BRIDGE,
  type BridgeMount,
  type LaunchFile,
  type ManagedHarness,
  requireSession,
} from '../managed.ts'
import { composer } from './composer.ts'

/** Gemini CLI (0.61.0) in a pane of ours. */
export const managed: ManagedHarness = {
  launch({ binary = 'gemini', args, prompt, resume, bridge }) {
    const argv = [binary, ...args]
    if (resume !== undefined) argv.push('--resume', requireSession('Gemini CLI', resume))
    if (prompt !== undefined) argv.push(`--prompt-interactive=${prompt}`)
    if (!bridge) return { argv, env: {}, files: [] }
    const file = defaultsFile(bridge)
    const env = { ...bridge.env, GEMINI_CLI_SYSTEM_DEFAULTS_PATH: file.path }
    return { argv, env, files: [file] }
  },
  composer,
  exitKeys: ['C-c', 'C-c'],
}

/**
 * It takes an MCP server from settings files only. This one has the least say of all; what the machine has
 * in its place is not read in this launch.
 */
function defaultsFile({ command, args, env, directory }: BridgeMount): LaunchFile {
  const passedOn = Object.fromEntries(Object.keys(env).map((name) => [name, `\${${name}}`]))
  const server = { command, args, env: passedOn, trust: true }
  const text = `${JSON.stringify({ mcpServers: { [BRIDGE]: server } }, null, 2)}\n`
  return { path: `${directory}/gemini-defaults.json`, text }
}
