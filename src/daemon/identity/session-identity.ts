import type { SessionIdentity } from '../../contract/responses.ts'
import type { Session } from '../../core/session/session.ts'
import { adapterFor } from '../../harness/registry.ts'
import type { PaneNames } from '../../tmux/pane-names.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import { GitPlaces } from './git-place.ts'
import { shownText } from './shown-text.ts'

type ShownNames = Pick<SessionIdentity, 'window' | 'title'>

/**
 * What people recognise a session by: its place in git and in tmux, and what its harness calls it. `changed`: a place
 * in git is another one now.
 */
export function createIdentities(
  inventory: Pick<PaneInventory, 'namesOf'>,
  home?: string,
  changed?: () => void,
) {
  const places = new GitPlaces(home, changed)
  const shownNames = new WeakMap<PaneNames, Map<string, ShownNames>>()

  /** Computed once per look at the server, because views are built more often. */
  const shown = (names: PaneNames, harness: string): ShownNames => {
    const known = shownNames.get(names) ?? new Map<string, ShownNames>()
    const found = known.get(harness) ?? namesIn(names, harness)
    shownNames.set(names, known.set(harness, found))
    return found
  }

  const identityOf = (
    { cwd, pane, harness, isGuest }: Session,
    hasPane: boolean,
  ): SessionIdentity => {
    const names = hasPane && pane ? inventory.namesOf(pane) : undefined
    const { title, ...place } = names ? shown(names, harness) : {}
    return {
      project: null,
      ...(cwd !== undefined && places.placeOf(cwd)),
      ...place,
      // What only points to a pane has another program's title there.
      ...(title !== undefined && !isGuest && { title }),
    }
  }
  return {
    of: identityOf,
    /** Resolves when their places in git are known as they are now; soon in any case. */
    freshen: (sessions: Iterable<Session>) =>
      places.freshen(
        Array.from(sessions).flatMap(({ cwd }) => cwd ?? []),
        PATIENCE_MS,
      ),
  }
}

/** A look takes a tenth of a millisecond, unless the directory is far away. */
const PATIENCE_MS = 100

function namesIn(names: PaneNames, harness: string): ShownNames {
  const window = shownText(names.window)
  const title = shownText(adapterFor(harness)?.sessionTitle?.(names.title))
  return { ...(window && { window }), ...(title && { title }) }
}
