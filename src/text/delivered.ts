import { elapsedText } from './duration.ts'

/** What became of a reply that arrived. */
export function deliveredText(reply: { tookMs: number; confirmedBy: string }): string {
  return `Delivered in ${elapsedText(reply.tookMs)} (confirmed by its ${reply.confirmedBy}).`
}
