/**
 * What a daemon needs from the shell that starts it, as a process of its own or as a systemd unit. Nothing else
 * goes along: a key that happens to be in that shell has no business in a process that runs for weeks.
 */
const NEEDED = [
  /^(HOME|PATH|SHELL|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TMUX_TMPDIR)$/,
  /^XDG_\w+_(HOME|DIR|DIRS)$/,
  /^TRAILBOSS_(HOME|PORT|TMUX_SOCKET|DEBUG)$/,
  // Where harnesses have their files.
  /^(CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|OPENCODE_CONFIG|OPENCODE_CONFIG_DIR)$/,
  /^(GEMINI_CLI_HOME|GEMINI_CLI_SYSTEM_SETTINGS_PATH|QWEN_HOME|QWEN_CODE_SYSTEM_SETTINGS_PATH)$/,
]

export function daemonEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const isNeeded = (name: string) => NEEDED.some((pattern) => pattern.test(name))
  const needed = Object.entries(env).filter(([name]) => isNeeded(name))
  return Object.fromEntries(needed.map(([name, value = '']) => [name, value]))
}
