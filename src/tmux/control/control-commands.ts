import { TrailBossError } from '../../core/errors.ts'

/**
 * What the control client may run. Its commands go to tmux over a pipe, where they do not show up in the
 * process list; so anything that is not listed here is refused, and nothing here writes into a pane, moves one
 * of the operator's clients, or runs a program.
 */
const ALLOWED: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  'capture-pane': (args) => args.includes('-p'),
  'display-message': (args) => args.includes('-p'),
  'list-clients': () => true,
  'list-panes': () => true,
  'list-sessions': () => true,
  'refresh-client': ([flag]) => flag === '-B',
  'set-option': ([flags = '', name = '']) => /^-gqu?$/.test(flags) && isOurs(name),
  // Without -c, the control client itself moves.
  'switch-client': (args) => !args.some((arg) => arg.startsWith('-c')),
}

/** Throws if the command is not one of these. */
export function requireHarmless([name = '', ...args]: readonly string[]): void {
  const isAllowed = Object.hasOwn(ALLOWED, name) && ALLOWED[name]?.(args)
  // In a format, #(…) is a shell command.
  if (isAllowed && !args.some((arg) => arg.includes('#('))) return
  throw new TrailBossError('INTERNAL', `The control client is not to run "${name}" like this.`)
}

function isOurs(option: string): boolean {
  return /^@trailboss_[a-z]+$/.test(option)
}
