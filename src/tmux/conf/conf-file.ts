import { TrailBossError } from '../../core/errors.ts'
import { confCommands } from './conf-commands.ts'

/**
 * The user's tmux.conf gets one block of three lines, and `removeBlock` restores the original bytes. The
 * block's first line records what else was done: that the file was created for it, or that its last line got
 * the newline it lacked. All work is on latin1 text, one character per byte, so that no encoding is harmed.
 */

/**
 * `original` undefined means that there is no such file. An existing block is renewed. The lines end in LF even
 * in a file with CRLF: tmux up to 3.4 takes the CR for part of a word.
 */
export function addBlock(original: Buffer | undefined, generatedFile: string): Buffer {
  const text = original?.toString('latin1') ?? ''
  const source = Buffer.from(`source-file -q ${sourcePath(generatedFile)}`).toString('latin1')
  const present = findBlock(text)
  if (present !== undefined) {
    const block = [present.begin, source, END].join(present.eol)
    return latin1(text.slice(0, present.start) + block + text.slice(present.end))
  }
  const at = placeOf(text)
  const lacksNewline = at === text.length && text !== '' && !text.endsWith('\n')
  const begin = original === undefined ? BEGIN_NEW : lacksNewline ? BEGIN_ENDED : BEGIN
  const block = [...(lacksNewline ? [''] : []), begin, source, END].join('\n')
  return latin1(`${text.slice(0, at)}${block}\n${text.slice(at)}`)
}

export type Removal = {
  bytes: Buffer
  /** The file was created for the block and holds nothing else, so it should go, too. */
  empty: boolean
}

/** Undefined if there is no block. */
export function removeBlock(bytes: Buffer): Removal | undefined {
  const text = bytes.toString('latin1')
  const block = findBlock(text)
  if (block === undefined) return undefined
  const before = text.slice(0, block.start)
  const after = text.slice(block.end).replace(/^\r?\n/, '')
  const rest =
    after === '' && block.begin === BEGIN_ENDED ? before.replace(/\n$/, '') : before + after
  return { bytes: latin1(rest), empty: rest === '' && block.begin === BEGIN_NEW }
}

export function hasBlock(bytes: Buffer): boolean {
  return findBlock(bytes.toString('latin1')) !== undefined
}

/** Escapes a path for `source-file`, which treats it as a glob pattern. */
export function globLiteral(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}

export function requirePlain(text: string, hint: string): void {
  if (!/[\0-\x1f\x7f]/.test(text)) return
  const message = `${JSON.stringify(text)} has a control character in it.`
  throw new TrailBossError('BAD_USAGE', message, { hint })
}

const BEGIN = '# >>> trailboss >>>'
const BEGIN_NEW = '# >>> trailboss (made this file) >>>'
const BEGIN_ENDED = '# >>> trailboss (ended the line above) >>>'
const END = '# <<< trailboss <<<'

type Block = { start: number; end: number; begin: string; eol: string }

/** Starts at the last begin before an end, so that a stray begin takes nothing else with it. */
function findBlock(text: string): Block | undefined {
  const begins = [
    ...text.matchAll(
      /^(# >>> trailboss (?:\((?:made this file|ended the line above)\) )?>>>)(\r?\n)/gm,
    ),
  ]
  for (const [index, match] of begins.entries()) {
    const limit = begins[index + 1]?.index ?? text.length
    const end = /^# <<< trailboss <<<(?=\r?\n|$(?![\s\S]))/m.exec(text.slice(match.index, limit))
    if (end === null) continue
    return {
      start: match.index,
      end: match.index + end.index + END.length,
      begin: match[1]!,
      eol: match[2]!,
    }
  }
  return undefined
}

/** TPM must be started last, so the block goes before it and before the comment above it. */
function placeOf(text: string): number {
  const tpm = confCommands(text).findLast(startsTpm)
  if (tpm === undefined) return text.length
  const above = text.slice(0, tpm.lineStart)
  const comment = /(?:^#[^\n]*\n)+(?![\s\S])/m.exec(above)
  return comment?.index ?? above.length
}

function startsTpm({ words: [name = '', ...rest] }: { words: string[] }): boolean {
  if (!['run', 'run-shell', 'if', 'if-shell'].includes(name)) return false
  return rest.some((word) => /\btpm\/tpm\b/.test(word))
}

function sourcePath(path: string): string {
  requirePlain(path, 'tmux cannot read such a path: set TRAILBOSS_HOME to another directory.')
  return `"${globLiteral(path).replace(/[\\"$]/g, '\\$&')}"`
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
