import { basename } from 'node:path'
import type { Adapter } from '../adapter/adapter.ts'
import { nodeScript } from '../adapter/node-script.ts'
import { HARNESS } from './name.ts'
import { screenRules } from './screen.ts'

/** Read from its screen alone: its hooks are not wired. */
export const copilot: Adapter = {
  harness: HARNESS,
  title: 'Copilot CLI',
  variables: ['COPILOT_HOME'],
  advice: { hooks: () => 'Its hooks are not wired: it is known by its screen.' },
  habits: {},
  hookEvents: () => [],
  isProcess: isCopilot,
  screenRules,
}

/** A script that Node runs, and the program that it starts, which is Node with an embedded script. */
export function isCopilot(process: { name: string; argv: readonly string[] }): boolean {
  const script = nodeScript(process)
  if (
    script !== undefined &&
    /(?:^|[/\\])copilot(?:[/\\](?:npm-loader|index)\.js)?$/.test(script)
  ) {
    return true
  }
  // The name alone is not enough: other programs have it.
  return process.name === 'MainThread' && basename(process.argv[0] ?? '') === 'copilot'
}
