import type { Adapter } from '../adapter.ts'
import { hookEvents } from './hook.ts'
import { HARNESS } from './name.ts'
import { statusSource } from './status.ts'
import { transcriptReader } from './transcript.ts'

export const claudeCode: Adapter = {
  harness: HARNESS,
  hookEvents,
  transcript: transcriptReader,
  status: statusSource,
}
