import { dirname } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { WiredAdapter } from '../../harness/adapter/adapter.ts'
import type { InstallPlan, WiringOptions } from '../../harness/wiring/wiring.ts'
import {
  type Change,
  clearLeftovers,
  confirmChanges,
  keepWhatWas,
  makeDirectory,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { whatNext } from './install-next.ts'
import { createSite } from './site.ts'
import { requireWritable, writeUserFile } from './user-file.ts'

/** Wires the harness and says what is next. True if something changed. */
export async function installHarness(
  adapter: WiredAdapter,
  options: WiringOptions & { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const { isChanged, isOwn } = await wireHarness(adapter, options, io)
  if (isOwn !== undefined) await whatNext(resolvePaths(io.env), isOwn, io)
  return isChanged
}

/** `isOwn`: doctor looks at this place; undefined where nothing was to be installed. */
type Wired = { isChanged: boolean; isOwn?: boolean }

/** Shows what the wiring plans, asks, and writes. */
export async function wireHarness(
  { title, wiring }: WiredAdapter,
  options: WiringOptions & { yes?: boolean },
  io: InstallIo,
): Promise<Wired> {
  const { site, fileOf } = createSite(io)
  const plan = await wiring.install.plan(site, options)
  if ('print' in plan) {
    for (const sentence of plan.obstacles) io.note(`Warning: ${sentence}`)
    io.printFile(plan.print)
    return { isChanged: false }
  }
  clearLeftovers(plan.files, io)
  const changes = plan.writes
    .map(({ path, after, keepsBefore }) => ({
      file: fileOf(path),
      after: Buffer.from(after),
      keepsBefore,
    }))
    .filter(({ file, after }) => !file.bytes?.equals(after))
  if (changes.length > 0) {
    for (const { file } of changes) requireWritable(file)
    if (plan.warning !== undefined) io.note(plan.warning)
    await confirmChanges(title, changes, options, io)
    apply(changes, plan, io)
  }
  report(changes, plan, io)
  return { isChanged: changes.length > 0, isOwn: !plan.isElsewhere }
}

/** A backup holds the file without our changes, so a renewal makes none. */
function apply(
  changes: (Change & { after: Buffer; keepsBefore: boolean })[],
  { wayOut }: InstallPlan,
  io: InstallIo,
): void {
  try {
    for (const { file, after, keepsBefore } of changes) {
      makeDirectory(dirname(file.path))
      if (keepsBefore) keepWhatWas(file, io)
      writeUserFile(file, after)
    }
  } catch (error) {
    const isRefused = error instanceof TrailBossError && error.code === 'NOT_WRITABLE'
    if (!isRefused || wayOut === undefined) throw error
    throw new TrailBossError(error.code, error.message, { hint: wayOut, cause: error })
  }
}

/** Warnings come last, because nobody would see them above the diff. */
function report(
  changes: Change[],
  { notes = [], done, effect, obstacles }: InstallPlan,
  io: InstallIo,
): void {
  if (changes.length === 0) io.print('Already installed.')
  for (const { file } of changes) io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  for (const text of notes) io.note(text)
  for (const text of done) io.print(text)
  if (effect !== undefined && changes.length > 0 && obstacles.length === 0) io.print(effect)
  for (const sentence of obstacles) io.note(`Warning: ${sentence}`)
}
