import type { Adapter } from '../adapter/adapter.ts'
import { hookEvents } from './hook.ts'
import { managed } from './managed.ts'
import { HARNESS } from './name.ts'
import { screenRules } from './screen.ts'
import { sessionTitle } from './session-title.ts'
import { signals } from './signals.ts'
import { wiring } from './wiring.ts'

export const opencode: Adapter = {
  harness: HARNESS,
  title: 'opencode',
  variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
  advice: { hooks: () => 'Wire it with: trailboss install opencode' },
  habits: { headless: 'opencode run, or a server without a screen' },
  hookEvents,
  isProcess: isOpencode,
  childVariables: ['OPENCODE', 'OPENCODE_PID', 'OPENCODE_BIN_PATH'],
  screenRules,
  sessionTitle,
  signals,
  wiring,
  managed,
}

/** The native program; its first argument that is not an option shows whether it has its own screen. */
export function isOpencode({ name, argv }: { name: string; argv: readonly string[] }): boolean {
  if (!/^\.?opencode(?:\.exe)?$/.test(name)) return false
  const command = argv.slice(1).find((word) => !word.startsWith('-'))
  return command === undefined || !WITHOUT_SCREEN.has(command)
}

const WITHOUT_SCREEN = new Set([
  ...['run', 'serve', 'web', 'acp', 'mcp', 'auth', 'agent', 'upgrade', 'uninstall', 'models'],
  ...['stats', 'export', 'import', 'github', 'pr', 'session', 'plugin', 'providers', 'debug', 'db'],
])
