import { TrailBossError } from '../../core/errors.ts'

/**
 * What the control client may be asked. Its commands go to tmux over a pipe, where nobody who looks at
 * the processes sees them; so what is not here cannot be asked, and nothing here writes into a pane,
 * moves a client of the operator's, or runs a program.
 */
const ALLOWED: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  'capture-pane': (args) => args.includes('-p'),
  'display-message': (args) => args.includes('-p'),
  'list-clients': () => true,
  'list-panes': () => true,
  'list-sessions': () => true,
  'refresh-client': ([flag]) => flag === '-B',
  'set-option': ([flags = '', name = '']) => /^-gqu?$/.test(flags) && isOurs(name),
  // Without -c it is the control client itself that goes elsewhere.
  'switch-client': (args) => !args.some((arg) => arg.startsWith('-c')),
}

/** Throws where the command is none of these. */
export function requireHarmless([name = '', ...args]: readonly string[]): void {
  const isAllowed = Object.hasOwn(ALLOWED, name) && ALLOWED[name]?.(args)
  // In a format, #(…) is a shell command.
  if (isAllowed && !args.some((arg) => arg.includes('#('))) return
  throw new TrailBossError('INTERNAL', `The control client is not to run "${name}" like this.`)
}

function isOurs(option: string): boolean {
  return /^@trailboss_[a-z]+$/.test(option)
}
