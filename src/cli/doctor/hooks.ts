import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { type KnownEvents, knownEvents } from '../../harness/claude-code/known-events.ts'
import { HARNESS } from '../../harness/claude-code/name.ts'
import { emitterIn } from '../../harness/emitter-command.ts'
import { findOurHooks } from '../../harness/hook-search.ts'
import { parseJsonText } from '../../harness/json-text.ts'
import { obstacles, projectSettings, userSettings } from '../claude-settings.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'

const NAME = 'Claude Code'
const INSTALL = 'trailboss install claude-code'
const WITHOUT =
  'sessions are found all the same, but what they and their subagents ask is known less exactly and a little later'

/** A look at Claude Code's settings, those of this project included; nothing is changed in them. */
export async function hookChecks({ env }: Surroundings): Promise<Check[]> {
  const user = userSettings(env)
  const project = [projectSettings('.', false), projectSettings('.', true)]
  try {
    const file = [user, ...project].find((path) => hooksIn(path).size > 0) ?? user
    const off = obstacles([user, ...project])
    if (off.length > 0) return [warning(NAME, off.join('; '), `Until that is changed, ${WITHOUT}`)]
    return [hookCheck(file, hooksIn(file), await knownEvents(env))]
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    return [broken(NAME, messageOf(error), hint ?? 'Correct it by hand.')]
  }
}

function hookCheck(file: string, hooked: Map<string, string>, known: KnownEvents): Check {
  if (hooked.size === 0) {
    const detail = existsSync(file) ? `no hook of ours in ${file}` : `${file} is not there`
    return warning(NAME, `${detail}: ${WITHOUT}`, `Add the hooks with: ${INSTALL}`)
  }
  const gone = [...hooked.values()].find((program) => isAbsolute(program) && !existsSync(program))
  if (gone !== undefined) {
    const detail = `the hooks in ${file} run ${gone}, which is not there`
    return broken(NAME, detail, `Have them run this installation: ${INSTALL}`)
  }
  const missing = known.events.filter((event) => !hooked.has(event))
  if (missing.length === 0) return ok(NAME, `${hooked.size} hooks in ${file} run trailboss-emit`)
  const detail = `${file} has no hook of ours for ${missing.join(', ')}`
  return warning(NAME, detail, `Add them with: ${INSTALL}`)
}

/** The emitter that each event runs. */
function hooksIn(path: string): Map<string, string> {
  const { text } = readSettings(path)
  const root = inFile(path, NAME, () => parseJsonText(text ?? ''))
  const hooks = root === undefined ? [] : findOurHooks(root, HARNESS)
  return new Map(
    hooks.map(({ event, command }) => [event, emitterIn(command.value, HARNESS)?.program ?? '']),
  )
}
