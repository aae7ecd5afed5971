import { basename } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'
import { PLAIN_PATH } from '../../core/text.ts'

/** What runs the emitter; includes the home if the agents would not find it by themselves. */
export type Emitter = { program: string; home?: string }

/** For the shell that runs a hook: bash, zsh or sh. The agent's own environment takes precedence. */
export function emitterCommand({ program, home }: Emitter, harness: string): string {
  for (const path of [program, home ?? '/']) requirePlain(path)
  const place = home === undefined ? '' : `TRAILBOSS_HOME=\${TRAILBOSS_HOME:-${shellWord(home)}} `
  return `${place}${shellWord(program)} ${harness}`
}

export type EmitterUse = {
  program: string
  /** Nobody has added anything to it. */
  isOurs: boolean
}

/** Undefined if a command does anything but run the emitter, from whatever place or version. */
export function emitterIn(command: string, harness: string): EmitterUse | undefined {
  if (!SIMPLE_COMMAND.test(command)) return undefined
  const words = command.match(WORDS) ?? []
  const assignments = words.findIndex((word) => !/^\w+=/.test(word))
  const [program = '', ...rest] = words.slice(assignments).map(unquoted)
  const given = basename(program) === 'trailboss' && rest[0] === 'emit' ? rest.slice(1) : rest
  const isEmitter = given !== rest || basename(program) === 'trailboss-emit'
  if (!isEmitter || given.length !== 1 || given[0] !== harness) return undefined
  const added = words.slice(0, assignments)
  const isOurs = added.every((word) => word.startsWith('TRAILBOSS_HOME=${TRAILBOSS_HOME:-'))
  return { program, isOurs }
}

/** One command: words and quotes, without a shell operator outside them. */
const WORD = `${String.raw`(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&|<>()`}\`#])+`
const WORDS = new RegExp(WORD, 'g')
const SIMPLE_COMMAND = new RegExp(`^\\s*${WORD}(?:[ \\t]+${WORD})*\\s*$`)

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_all, single, double, escaped) =>
    String(single ?? escaped ?? String(double).replace(/\\(["\\$`])/g, '$1')),
  )
}

function requirePlain(path: string): void {
  if (PLAIN_PATH.test(path)) return
  throw new TrailBossError('BAD_USAGE', `${JSON.stringify(path)} has a control character in it.`, {
    hint: 'A hook cannot name such a path: move it to another directory.',
  })
}
