/** `npm run picture`: draws docs/images/popup.svg from the popup of a running `trailboss demo`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTmuxServer } from '../test/support/tmux-server.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { terminalSvg } from './terminal-svg.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE = join(ROOT, 'docs', 'images', 'popup.svg')
const LABEL = 'The popup of Trail Boss over a tmux session'
const SIZE = { columns: 100, rows: 32 }

execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
const screen = await popupScreen()
mkdirSync(dirname(FILE), { recursive: true })
writeFileSync(FILE, terminalSvg(screen, SIZE.columns, LABEL))
process.stdout.write(`${screen.replaceAll(/\u001b\[[\d;:]*m/g, '')}\n\nDrawn to ${FILE}\n`)

async function popupScreen(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tb-picture-'))
  const [home, tmp] = [join(dir, 'home'), join(dir, 'tmp')]
  for (const made of [home, tmp]) mkdirSync(made)
  const { PATH } = process.env
  const env = { PATH, HOME: home, TMPDIR: tmp, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const terminal = await startTmuxServer({
    socket: join(dir, 't'),
    env,
    session: 'seat',
    shellCommand: `unset TMUX TMUX_PANE; ${join(ROOT, 'bin', 'trailboss')} demo`,
    cwd: dir,
  })
  const capture = (...flags: string[]) =>
    terminal.run('capture-pane', '-p', ...flags, '-t', 'seat:')
  const sees = (pattern: RegExp) =>
    waitFor(() => capture(), {
      what: `the screen to show ${pattern}`,
      until: (text) => pattern.test(text),
    })
  const press = (...keys: string[]) => terminal.run('send-keys', '-t', 'seat:', ...keys)
  try {
    await terminal.run('set-option', '-g', 'status', 'off')
    const size = ['-x', String(SIZE.columns), '-y', String(SIZE.rows)]
    await terminal.run('resize-window', '-t', 'seat:', ...size)
    await sees(/⚠ 1 stuck/)
    // An empty window, because the popup does not cover everything behind it.
    await press('C-b', 'c')
    await sees(/^[#$]/)
    await press("PS1='$ '; clear", 'Enter')
    await sees(/^\$\n/)
    await sees(/⚠ 3 stuck/)
    await press('C-b', 'g')
    await sees(/│ Trail Boss [\s\S]*Do you want to proceed/)
    return await capture('-e')
  } finally {
    // Closing the terminal ends the demo, which then removes its files.
    await terminal.stop()
    await waitFor(() => readdirSync(tmp).every((name) => !name.startsWith('trailboss-')), {
      what: 'the demo to end',
    })
    rmSync(dir, { recursive: true, force: true })
  }
}
