import { resolvePaths } from '../../../config/paths.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { readOwnScreenRules } from '../../../harness/own-screen-rules.ts'
import { ADAPTERS, adapterFor } from '../../../harness/registry.ts'
import { GENERIC } from '../../../harness/screen/generic-screen.ts'
import { createScreenReader } from '../../../harness/screen-reader.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { screenExplanation, screenExplanationText } from '../../render/screen-explanation.ts'
import { readSavedScreen, type SavedScreenOptions } from './saved-screen.ts'

export type ExplainScreenOptions = SavedScreenOptions & { harness?: string; json?: boolean }

/** Needs no daemon, and reads the rules again each time, so that you can try a rule while you write it. */
export async function explainScreen(
  target: string | undefined,
  options: ExplainScreenOptions,
): Promise<void> {
  if (target !== undefined) {
    throw new TrailBossError('BAD_USAGE', `Explain "${target}", or a screen? Only one at a time.`, {
      hint: 'Leave out the session, or --screen.',
    })
  }
  const harness = options.harness ?? GENERIC
  const title = titleOf(harness)
  const reader = createScreenReader(readOwnScreenRules(resolvePaths().screenRules))
  const screen = readSavedScreen(options)
  const explained = screenExplanation(harness, reader.explain(harness, screen))
  if (options.json) return printJson({ ...explained, problems: reader.problems() })
  for (const problem of reader.problems()) note(displayLine(problem))
  const isCursorKnown = screen.cursor !== undefined
  await printFor((to) => screenExplanationText(explained, { title, isCursorKnown }, to))
}

function titleOf(harness: string): string {
  if (harness === GENERIC) return 'The program'
  const adapter = adapterFor(harness)
  if (adapter) return adapter.title
  const known = [...ADAPTERS.map((one) => one.harness), GENERIC].join(', ')
  throw new TrailBossError('BAD_USAGE', `There are no screen rules for "${harness}".`, {
    hint: `There are for: ${known}`,
  })
}
