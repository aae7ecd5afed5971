import type { AgentEvent } from '../../core/session/event.ts'
import { marksIn } from '../../core/supervisor/trigger/mark.ts'

/** The marks in a prompt that a harness took, which may come in several texts. */
export function withMarks(...texts: readonly unknown[]): Pick<AgentEvent, 'marks'> {
  const marks = marksIn(texts.filter((text) => typeof text === 'string').join('\n'))
  return marks.length > 0 ? { marks } : {}
}
