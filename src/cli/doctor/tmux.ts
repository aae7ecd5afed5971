import { messageOf, TrailBossError } from '../../core/errors.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import { runTmux } from '../../tmux/exec.ts'
import { requireTmux } from '../../tmux/version.ts'
import type { Surroundings } from './surroundings.ts'

export async function tmuxChecks({ socket }: Pick<Surroundings, 'socket'>): Promise<Check[]> {
  try {
    const { text } = await requireTmux()
    return [ok('tmux', `tmux ${text}`), await serverCheck(socket)]
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    return [broken('tmux', messageOf(error), hint ?? 'Try it in a shell: tmux -V')]
  }
}

async function serverCheck(socket: string): Promise<Check> {
  const result = await runTmux(socket, ['display-message', '-p', '#{pid}'])
  if (result.ok) return ok('tmux server', `${socket} answers (pid ${result.stdout.trim()})`)
  if (result.kind === 'no-server') {
    return warning(
      'tmux server',
      `no tmux server runs on ${socket}`,
      'Start tmux; if yours is another one, name its socket in TRAILBOSS_TMUX_SOCKET.',
    )
  }
  const said = result.kind === 'timeout' ? 'does not answer' : result.stderr.trim()
  return broken('tmux server', `${socket}: ${said}`, `Try it in a shell: tmux -S '${socket}' ls`)
}
