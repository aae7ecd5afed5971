import type { Notice } from '../../core/notice/notice-text.ts'
import type { OperatorClient } from '../../tmux/navigate.ts'

/** `nobody`: no terminal is attached that could show it. */
export type SendResult = { kind: 'sent' } | { kind: 'nobody' } | { kind: 'failed'; why: string }

/**
 * Sends a notice on one channel. It has started when the call returns, so that what is stored right afterwards is
 * true; it never throws.
 */
export type Sender = (notice: Notice, terminal: OperatorClient | undefined) => Promise<SendResult>

export const SENT: SendResult = { kind: 'sent' }
export const NOBODY: SendResult = { kind: 'nobody' }

export function failed(why: string): SendResult {
  return { kind: 'failed', why }
}
