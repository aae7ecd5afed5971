import type { Pane } from '../../core/pane.ts'
import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { adapterFor } from '../../harness/registry.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'

/** What is in a composer, and the screen that shows it: absent if nothing can be said about the composer. */
export type SeenComposer = { composer: ComposerSight; screen?: Screen; isInMode?: boolean }

/** Throws `TMUX_UNREACHABLE` if tmux did not answer, which says nothing about the pane. */
export async function seenComposer(
  pane: Pane,
  harness: string,
  links: Pick<ServerLinks, 'screenOf'>,
): Promise<SeenComposer> {
  const managed = adapterFor(harness)?.managed
  if (!managed) return { composer: { kind: 'none', why: 'this harness has none that we know' } }
  const seen = await links.screenOf(pane)
  if (!seen) return { composer: { kind: 'none', why: 'it is not there' } }
  const { screen, isInMode } = seen
  if (!isInMode) return { composer: managed.composer(screen), screen }
  return { composer: { kind: 'none', why: 'somebody reads what scrolled away' }, isInMode }
}
