import { messageOf, TrailBossError } from '../../core/errors.ts'
import { wiredAdapters } from '../../harness/registry.ts'
import { broken } from '../../harness/wiring/check.ts'
import { createSite } from '../install/site.ts'
import type { CheckGroup } from './surroundings.ts'

/** Checks the settings of every harness in use, and changes nothing in them. */
export function wiringGroups(): [name: string, group: CheckGroup][] {
  return wiredAdapters().map(({ title, wiring }) => [
    title,
    async ({ env }) => {
      const { site } = createSite({ env, note: () => undefined })
      if (!wiring.isInUse(site)) return []
      try {
        return [await wiring.check(site)]
      } catch (error) {
        const hint = error instanceof TrailBossError ? error.hint : undefined
        return [broken(title, messageOf(error), hint ?? 'Correct it by hand.')]
      }
    },
  ])
}
