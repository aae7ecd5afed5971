import type { Notice } from '../../core/notice/notice-text.ts'
import { runProgram } from './program.ts'
import type { Sender } from './sender.ts'

const TIMEOUT_MS = 10_000

/** The desktop's own notifications: of freedesktop.org, or of macOS. */
export function desktopSender(env: NodeJS.ProcessEnv, platform = process.platform): Sender {
  const argvOf = platform === 'darwin' ? osascript : notifySend
  return (notice) => runProgram(argvOf(notice), { env, timeoutMs: TIMEOUT_MS })
}

function notifySend({ title, text, level }: Notice): string[] {
  const urgency = level === 'again' ? 'critical' : 'normal'
  return [
    'notify-send',
    '--app-name=Trail Boss',
    `--urgency=${urgency}`,
    '--',
    title,
    escaped(text),
  ]
}

/** A notification's body is markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The texts are arguments, never part of the script. */
function osascript({ title, text }: Notice): string[] {
  const show = 'display notification (item 2 of argv) with title (item 1 of argv)'
  return ['osascript', '-e', 'on run argv', '-e', show, '-e', 'end run', '--', title, text]
}
