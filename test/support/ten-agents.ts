import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from './agent.ts'
import type { World } from './create-world.ts'
import { TMUX } from './tmux-server.ts'

type Seat = { cwd: string; tmuxSession: string; window?: string; title?: string; ask: string }

/** Three repositories with worktrees and branches; several agents share a checkout. Paths are below the repositories. */
const TEN_SEATS: readonly Seat[] = [
  { cwd: 'api', tmuxSession: 'work', ask: 'The tests pass. Shall I open a pull request?' },
  { cwd: 'api', tmuxSession: 'work', ask: 'Which of the two error codes do clients rely on?' },
  { cwd: 'api/src/routes', tmuxSession: 'night', ask: 'Done: every route has a test now.' },
  {
    ...{ cwd: 'api-2', tmuxSession: 'work', window: 'login', title: 'Fix the login' },
    ask: 'The token expires too early. May I change the cache?',
  },
  { cwd: 'api-2', tmuxSession: 'work', window: 'review', ask: 'I found three things to fix.' },
  { cwd: 'api-3', tmuxSession: 'night', ask: 'Uploads are retried. How often at most?' },
  { cwd: 'web', tmuxSession: 'work', ask: 'The bundle is 40 kB smaller.' },
  { cwd: 'web-dark', tmuxSession: 'work', ask: 'Which grey is for disabled buttons?' },
  { cwd: 'infra', tmuxSession: 'night', ask: 'The plan would replace the database. Go on?' },
  { cwd: 'infra/modules', tmuxSession: 'night', ask: 'All modules have an owner now.' },
]

/** Ten scripted agents, which enter the queue in this order. `ask`: what all of them say, instead of their own. */
export async function startTenAgents(world: World, ask?: string): Promise<Agent[]> {
  const root = join(world.home, 'src')
  makeRepositories(root)
  const agents: Agent[] = []
  for (const [index, seat] of TEN_SEATS.entries()) {
    const { tmuxSession, window, title } = seat
    const cwd = join(root, seat.cwd)
    const options = { cwd, tmuxSession, prompt: 'Go on.', ...(title && { title }) }
    const agent = await world.agent(`agent-${index}`, options)
    const target = ['-t', agent.pane.id]
    if (window) await world.tmux.run('rename-window', ...target, window)
    else await world.tmux.run('set-option', '-w', ...target, 'automatic-rename', 'on')
    await agent.stop(ask ?? seat.ask)
    await world.listed(agent)
    agents.push(agent)
  }
  return agents
}

/** `api` and `web` with worktrees beside them, and `infra`. */
export function makeRepositories(root: string): void {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, {
      cwd: join(root, cwd),
      env: {
        ...{ PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
        ...{ GIT_AUTHOR_NAME: 'op', GIT_AUTHOR_EMAIL: 'op@localhost' },
        ...{ GIT_COMMITTER_NAME: 'op', GIT_COMMITTER_EMAIL: 'op@localhost' },
      },
    })
  for (const name of ['api', 'web', 'infra']) {
    mkdirSync(join(root, name), { recursive: true })
    git(name, 'init', '-q', '-b', 'main')
    git(name, 'commit', '-q', '--allow-empty', '-m', 'one')
  }
  git('api', 'worktree', 'add', '-q', '-b', 'fix-login', '../api-2')
  git('api', 'worktree', 'add', '-q', '-b', 'retry-uploads', '../api-3')
  git('web', 'worktree', 'add', '-q', '-b', 'dark-mode', '../web-dark')
  git('infra', 'checkout', '-q', '-b', 'upgrade-postgres')
}

/** The operator's terminal. */
export function resizeTerminal({ dir }: World, columns: number, rows: number): void {
  const size = ['-x', String(columns), '-y', String(rows)]
  execFileSync(TMUX, ['-S', join(dir, 't0'), 'resize-window', '-t', 'terminal:', ...size])
}

/** What the operator sees of each item: its harness and its name. Its number and its age change. */
export function rowsOf(screen: string): string[] {
  const lines = screen.split('\n').map((line) => line.replace(/^.*?│(.*)│.*$/, '$1'))
  const row = /^[ ▸]*\d* +(?:\d+[smh]|now)\S* +(\S.*?) +(?:finished|done|waits?) /
  return lines.map((line) => row.exec(line)?.[1]).filter((name) => name !== undefined)
}
