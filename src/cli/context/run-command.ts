import { catalogue, messageOf, TrailBossError } from '../../core/errors.ts'
import { displayText } from '../../core/text.ts'

/** Runs a command to its exit code, 0 unless it returns one; an error says what happened and what to do about it. */
export async function runCommand(command: () => Promise<unknown>): Promise<void> {
  try {
    const code = await command()
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

/** Tells the error on stderr; returns the exit code that goes with it. */
export function reportError(error: unknown): number {
  const known = error instanceof TrailBossError ? error : undefined
  process.stderr.write(`trailboss: ${displayText(messageOf(error))}\n`)
  if (known?.hint) process.stderr.write(`  ${displayText(known.hint)}\n`)
  if (!known && process.env['TRAILBOSS_DEBUG'] && error instanceof Error) {
    process.stderr.write(`${displayText(error.stack ?? '')}\n`)
  }
  return known ? catalogue[known.code].exit : 1
}
