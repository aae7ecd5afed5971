import type { Command } from 'commander'
import { catalogue, messageOf, TrailBossError } from '../../core/errors.ts'
import { displayText } from '../../core/text.ts'
import { note, printJson } from './output.ts'

/** Sets the exit code, 0 unless the command returns one, and reports an error; to stdout as well if that is JSON. */
export async function runCommand(
  command: () => Promise<unknown>,
  { json = false }: { json?: boolean } = {},
): Promise<void> {
  try {
    const code = await command()
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    process.exitCode = reportError(error)
    if (json) printJson({ error: describedError(error) })
  }
}

/** An action for commander. */
export function running<Args extends unknown[]>(
  action: (...args: Args) => Promise<unknown>,
): (...args: Args) => Promise<void> {
  return (...args) => runCommand(() => action(...args))
}

/**
 * A command with `--json`; `usage` is its name and its arguments. Commander gives a flag that the parent command
 * also has to the parent, so the action gets the parent's flags, too.
 */
export function addCommand<Args extends unknown[]>(
  parent: Command,
  usage: string,
  description: string,
  action: (...args: Args) => Promise<unknown>,
): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--json', 'print JSON')
    .action((...args: unknown[]) => {
      const { color: _, ...options } = (args.at(-1) as Command).optsWithGlobals()
      const run = () => action(...([...args.slice(0, -2), options] as Args))
      return runCommand(run, { json: options['json'] === true })
    })
}

/** Reports the error on stderr; returns the exit code that goes with it. */
export function reportError(error: unknown): number {
  const known = error instanceof TrailBossError ? error : undefined
  note(`trailboss: ${displayText(messageOf(error))}${known ? ` (${known.code})` : ''}`)
  if (known?.hint) note(`  ${displayText(known.hint)}`)
  if (!known && process.env['TRAILBOSS_DEBUG'] && error instanceof Error) {
    process.stderr.write(`${displayText(error.stack ?? '')}\n`)
  }
  return known ? catalogue[known.code].exit : 1
}

function describedError(error: unknown): { code: string; message: string; hint: string | null } {
  const known = error instanceof TrailBossError ? error : undefined
  return { code: known?.code ?? 'INTERNAL', message: messageOf(error), hint: known?.hint ?? null }
}
