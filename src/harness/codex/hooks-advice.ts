import { shellWord } from '../../core/shell-word.ts'
import { PLAIN_PATH } from '../../core/text.ts'
import { codexHome, codexHomeOf } from './wiring/home.ts'

/** How to wire the home of a session, which may differ from the one in our environment. */
export function hooksAdvice(
  transcript: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const own = transcript && codexHomeOf(transcript)
  const command = 'trailboss install codex'
  if (!own || own === codexHome(env) || !PLAIN_PATH.test(own)) {
    return `Wire it with: ${command}. Sessions that are running know nothing of it until they are started again.`
  }
  return `It has a home of its own. Wire it with: CODEX_HOME=${shellWord(own)} ${command}`
}
