import { waitFor } from '../../support/wait-for.ts'

/** For so long a screen does not change any more when it is drawn. */
const DRAWN_MS = 300

/** Waits until the screen is drawn: it stays the same, except for what moves all the time, like a spinner. */
export async function settled(
  { screen }: { screen: () => Promise<string> },
  moving: RegExp,
): Promise<void> {
  let before = ''
  let since = 0
  await waitFor(screen, {
    what: 'a screen that stays',
    until: (shown) => {
      const now = shown.replaceAll(moving, '')
      if (now !== before) since = Date.now()
      before = now
      return Date.now() - since > DRAWN_MS
    },
  })
}
