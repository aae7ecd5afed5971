import { existsSync, readFileSync } from 'node:fs'
import type { TmuxServer } from '../tmux-server.ts'
import { waitFor } from '../wait-for.ts'

/** A program in a pane that accepts bracketed pastes, and writes every byte it gets to a file. */
export type ByteRecorder = {
  shellCommand: string
  ready(server: TmuxServer, pane: string): Promise<void>
  /** The input so far, with `<paste>` and `</paste>` for the marks of a bracketed paste. */
  received(): string
}

export function byteRecorder(file: string): ByteRecorder {
  const shellCommand = `stty raw -echo; printf '\\033[?2004hready'; exec cat >'${file}'`
  return {
    shellCommand,
    ready: async (server, pane) => {
      await waitFor(() => server.run('capture-pane', '-p', '-t', pane), {
        what: `the recorder in ${pane} to be ready`,
        until: (screen) => screen.startsWith('ready') && existsSync(file),
      })
    },
    received: () =>
      readFileSync(file, 'utf8')
        .replaceAll('\x1b[200~', '<paste>')
        .replaceAll('\x1b[201~', '</paste>'),
  }
}
