import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { listOf, objectOf } from '../../harness/json-value.ts'
import { emitterPath } from '../root.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'

/** Without these a session is seen late, or its answer is. */
const WANTED = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'StopFailure',
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
  const hooked = ourHooks(settings)
  if (hooked.size === 0) return [warning(name, `no hook in ${file} runs trailboss-emit`, BY_HAND)]
  const gone = [...hooked.values()].flatMap(programOf).find((program) => !existsSync(program))
  if (gone) {
    const mend = `Write ${emitterPath()} there instead.`
    return [broken(name, `the hooks in ${file} run ${gone}, which is not there`, mend)]
  }
  const missing = WANTED.filter((event) => !hooked.has(event))
  if (missing.length === 0) return [ok(name, `${hooked.size} hooks in ${file} run trailboss-emit`)]
  return [warning(name, `${file} has no hook of ours for ${missing.join(', ')}`, BY_HAND)]
}

/** Our commands by event, out of `{hooks: {Stop: [{hooks: [{command}]}]}}`. */
function ourHooks(settings: unknown): Map<string, string> {
  const found = new Map<string, string>()
  for (const [event, matchers] of Object.entries(objectOf(objectOf(settings)['hooks']))) {
    const command = listOf(matchers)
      .flatMap((matcher) => listOf(objectOf(matcher)['hooks']))
      .map((hook) => String(objectOf(hook)['command'] ?? ''))
      .find((text) => /trailboss(-| )emit/.test(text))
    if (command !== undefined) found.set(event, command)
  }
  return found
}

/** The emitter that a command names by an absolute path; others are found through PATH. */
function programOf(command: string): string[] {
  const [, quoted, plain] = /^\s*(?:["'](\/[^"']*)["']|(\/\S*))/.exec(command) ?? []
  return [quoted ?? plain ?? []].flat()
}
