import { displayLine, truncate } from '../text.ts'
import type { NoticeChannel } from './channel.ts'
import type { Notice } from './notice-text.ts'

const ST = '\u001b\\'
const TITLE_CHARS = 120
const TEXT_CHARS = 300

/**
 * What makes a terminal show a notice: whole sequences that print nothing, also where the terminal does not know
 * them. All text in them has lost its controls, so nothing ends a sequence early.
 */
export function terminalSequence(
  channel: Extract<NoticeChannel, 'bell' | 'osc9' | 'osc777' | 'osc99'>,
  notice: Notice,
): string {
  const title = plain(notice.title, TITLE_CHARS)
  const text = plain(notice.text, TEXT_CHARS)
  switch (channel) {
    case 'bell':
      return '\u0007'
    case 'osc9':
      // With a number first it would be another command: `4;1;50` is a progress bar.
      return `\u001b]9;Trail Boss: ${plain(notice.line, TEXT_CHARS)}${ST}`
    case 'osc777':
      return `\u001b]777;notify;${unseparated(title)};${unseparated(text)}${ST}`
    case 'osc99': {
      const id = `i=trailboss-${notice.id.replace(/[^\w-]/g, '')}`
      const urgency = notice.level === 'again' ? 2 : 1
      const head = `\u001b]99;${id}:d=0:u=${urgency}:p=title;${title}${ST}`
      return `${head}\u001b]99;${id}:d=1:u=${urgency}:p=body;${text}${ST}`
    }
    default:
      return channel satisfies never
  }
}

function plain(text: string, most: number): string {
  return truncate(displayLine(text), most)
}

/** The full-width semicolon reads the same and separates nothing. */
function unseparated(text: string): string {
  return text.replaceAll(';', '；')
}
