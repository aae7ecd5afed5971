import { type ManagedHarness, requireSession } from '../adapter/managed.ts'
import { composer } from './composer.ts'

/**
 * Gemini CLI (0.61.0) in a pane of ours. It takes an MCP server only from settings files, and of the files that
 * a launch can name, only from those that root owns.
 */
export const managed: ManagedHarness = {
  launch({ binary = 'gemini', args, prompt, resume, bridge }) {
    const argv = [binary, ...args]
    if (resume !== undefined) argv.push('--resume', requireSession('Gemini CLI', resume))
    if (prompt !== undefined) argv.push(`--prompt-interactive=${prompt}`)
    return { argv, env: { ...bridge?.env }, isPrompted: true }
  },
  mountsBridge: false,
  composer,
  oneTimeAnswers: ['Allow once'],
  exitKeys: ['C-c', 'C-c'],
}
