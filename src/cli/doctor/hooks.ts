import { knownEvents } from '../../harness/claude-code/wiring/known-events.ts'
import { HARNESS } from '../../harness/claude-code/wiring/name.ts'
import { obstacles, projectSettings, userSettings } from '../install/claude-settings.ts'
import { hookedEvents } from '../install/hooked-events.ts'
import { type Check, type Surroundings, warning } from './check.ts'
import { hookCheck, readingSettings } from './hook-check.ts'

const NAME = 'Claude Code'
const WITHOUT =
  'sessions are found all the same, but what they and their subagents ask is known less exactly and a little later'

/** A look at Claude Code's settings, those of this project included; nothing is changed in them. */
export async function hookChecks({ env }: Surroundings): Promise<Check[]> {
  const user = userSettings(env)
  const project = [projectSettings('.', false), projectSettings('.', true)]
  return readingSettings(NAME, async () => {
    const hooksIn = (path: string) => hookedEvents(path, HARNESS, NAME)
    const path = [user, ...project].find((file) => hooksIn(file).size > 0) ?? user
    const off = obstacles([user, ...project])
    if (off.length > 0) return warning(NAME, off.join('; '), `Until that is changed, ${WITHOUT}`)
    const { events } = await knownEvents(env)
    const install = 'trailboss install claude-code'
    const found = { path, hooked: hooksIn(path), expected: events, install, without: WITHOUT }
    return hookCheck({ name: NAME, ...found })
  })
}
