import { dirname } from 'node:path'
import { shellWord } from '../../core/shell-word.ts'
import { PLAIN_PATH } from '../../core/text.ts'
import { statusSource } from './status.ts'

/** How to wire the settings of a session, which may differ from those in our environment. */
export function hooksAdvice(
  transcript: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const own = transcript && statusSource.directoryFor(transcript)
  const command = 'trailboss install claude-code'
  if (!own || own === statusSource.directory(env) || !PLAIN_PATH.test(own)) {
    return `Wire it with: ${command}`
  }
  return `It has settings of its own. Wire them with: CLAUDE_CONFIG_DIR=${shellWord(dirname(own))} ${command}`
}
