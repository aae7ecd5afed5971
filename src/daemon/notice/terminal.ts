import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { messageOf } from '../../core/errors.ts'
import { terminalSequence } from '../../core/notice/terminal-sequence.ts'
import { failed, NOBODY, SENT, type Sender, type SendResult } from './sender.ts'

/**
 * Writes a sequence to the terminal that the operator's tmux client runs in, never to a pane. tmux draws there, too:
 * one short write does not get between two of its own, unless the terminal is far behind; then we do not write.
 */
export function terminalSender(channel: Parameters<typeof terminalSequence>[0]): Sender {
  return async (notice, terminal) =>
    terminal ? writeTo(terminal.name, terminalSequence(channel, notice)) : NOBODY
}

function writeTo(tty: string, sequence: string): SendResult {
  let file: number | undefined
  try {
    // Neither to become our terminal, nor to wait for it.
    file = openSync(tty, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
    if (!isatty(file)) return failed(`${tty} is no terminal`)
    const bytes = Buffer.from(sequence)
    // One write takes all of it, unless the terminal is far behind.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    return SENT
  } catch (error) {
    const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN'
    return failed(isFull ? `${tty} takes no output at the moment` : messageOf(error))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
