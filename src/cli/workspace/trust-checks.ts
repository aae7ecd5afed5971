import type { Adapter } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { type Check, ok, warning } from '../../harness/wiring/check.ts'
import type { Site } from '../../harness/wiring/wiring.ts'

type Place = { harness: string; folder: string }

/** Whether each harness may work in its folder without asking first. */
export function trustChecks(id: string, places: readonly Place[], site: Site): Check[] {
  const distinct = new Map(places.map((place) => [`${place.harness} ${place.folder}`, place]))
  return [...distinct.values()].flatMap(({ harness, folder }) => {
    const adapter = adapterFor(harness)
    return adapter?.trust
      ? [trustCheck(id, folder, { ...adapter, trust: adapter.trust }, site)]
      : []
  })
}

function trustCheck(
  id: string,
  folder: string,
  { title, trust }: Adapter & Required<Pick<Adapter, 'trust'>>,
  site: Site,
): Check {
  const found = trust(folder, site)
  const pane = `its pane: tmux attach -t agents_${id}`
  switch (found) {
    case 'trusted':
      return ok(title, `it trusts ${folder}`)
    case 'undecided': {
      const detail = `it does not trust ${folder} yet: it asks once when it starts`
      return warning(title, detail, `Answer it in ${pane}`)
    }
    case 'distrusted': {
      const detail = `it was set not to trust ${folder}: it does less there, and may run no hooks`
      return warning(title, detail, `Change that in ${title} itself, if you want it to work there.`)
    }
    case 'unknown': {
      const detail = `whether it trusts ${folder} cannot be seen`
      return warning(title, detail, `If it asks when it starts, answer it in ${pane}`)
    }
    default:
      return found satisfies never
  }
}
