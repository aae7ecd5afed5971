import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { listOf, objectOf } from '../../harness/json-value.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'

/** Without these a session is seen late, or its answer is. */
const WANTED = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'SessionEnd',
]
const BY_HAND = 'docs/protocol.md shows the lines to add to it.'

/** A look at Claude Code's settings; nothing is changed in them. */
export async function hookChecks({ env }: Surroundings): Promise<Check[]> {
  const config = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude')
  const file = join(config, 'settings.json')
  const name = 'Claude Code'
  let settings: unknown
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return [warning(name, `${file} is not there, so no hook tells us anything`, BY_HAND)]
    }
    return [broken(name, `${file} cannot be read: ${messageOf(error)}`, 'Correct it by hand.')]
  }
  const hooked = hookedEvents(settings)
  if (hooked.size === 0) return [warning(name, `no hook in ${file} runs trailboss-emit`, BY_HAND)]
  const missing = WANTED.filter((event) => !hooked.has(event))
  if (missing.length === 0) return [ok(name, `${hooked.size} hooks in ${file} run trailboss-emit`)]
  return [warning(name, `${file} has no hook of ours for ${missing.join(', ')}`, BY_HAND)]
}

/** `{hooks: {Stop: [{hooks: [{command}]}]}}` */
function hookedEvents(settings: unknown): Set<string> {
  const events = objectOf(objectOf(settings)['hooks'])
  const isOurs = ([, matchers]: [string, unknown]) =>
    listOf(matchers)
      .flatMap((matcher) => listOf(objectOf(matcher)['hooks']))
      .some((hook) => /trailboss(-| )emit/.test(String(objectOf(hook)['command'] ?? '')))
  return new Set(
    Object.entries(events)
      .filter(isOurs)
      .map(([event]) => event),
  )
}
