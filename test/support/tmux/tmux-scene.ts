import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTmuxServer, type TmuxServer } from '../tmux-server.ts'

/** A tmux server in its own directory, and what is started beside it. */
export type TmuxScene = AsyncDisposable & {
  dir: string
  /** Its session is `work`. */
  server: TmuxServer
  startTmux(name: string, session: string, shellCommand: string): Promise<TmuxServer>
  /** What to stop in the end, in this order. */
  stops: (() => Promise<void>)[]
}

export async function createTmuxScene(shellCommand: string): Promise<TmuxScene> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tb-tmux-')))
  const env = { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' }
  const stops: TmuxScene['stops'] = []
  const startTmux: TmuxScene['startTmux'] = async (name, session, command) => {
    const options = { socket: join(dir, name), env, session, shellCommand: command, cwd: dir }
    const started = await startTmuxServer(options)
    stops.unshift(started.stop)
    return started
  }
  return {
    dir,
    server: await startTmux('t', 'work', shellCommand),
    startTmux,
    stops,
    [Symbol.asyncDispose]: async () => {
      for (const stop of stops) await stop()
      rmSync(dir, { recursive: true })
    },
  }
}
