import { runTmux } from '../../tmux/exec.ts'
import { parseTmuxVariable } from '../../tmux/socket.ts'

const CHOICES = ['C-b', 'C-a', 'C-x']

/** Inside another tmux, picks a prefix that the outer one lets through. */
export async function choosePrefix(env: NodeJS.ProcessEnv): Promise<string> {
  const outer = parseTmuxVariable(env['TMUX'] ?? '')
  if (!outer) return 'C-b'
  const taken = await Promise.all(
    ['prefix', 'prefix2'].map((name) => outerOption(outer.socket, name)),
  )
  return CHOICES.find((key) => !taken.includes(key)) ?? 'C-b'
}

async function outerOption(socket: string, name: string): Promise<string> {
  const result = await runTmux(socket, ['show-options', '-gqv', name])
  return result.ok ? result.stdout.trim() : 'C-b'
}
