import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TranscriptFiles } from '../adapter/adapter.ts'
import { objectOf, textOf } from '../config-edit/json-value.ts'

/** Gemini CLI has them in a directory for each project, and opens them only to write (0.61.0). */
export const transcriptFiles: TranscriptFiles = {
  variables: ['HOME', 'GEMINI_CLI_HOME'],
  isTranscript: (path) => /^session-[\w-]+\.jsonl$/.test(basename(path)),
  writtenSince(env) {
    const home = env['GEMINI_CLI_HOME'] || env['HOME']
    if (!home) return []
    const projects = join(home, '.gemini', 'tmp')
    return namesIn(projects).flatMap((project) => {
      const chats = join(projects, project, 'chats')
      return namesIn(chats)
        .filter(transcriptFiles.isTranscript)
        .map((name) => join(chats, name))
    })
  },
  sessionIn(first) {
    const { sessionId, kind } = objectOf(first)
    return kind === undefined || kind === 'main' ? textOf(sessionId) : undefined
  },
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
