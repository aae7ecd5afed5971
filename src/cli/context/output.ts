import { userHome } from '../../config/paths.ts'
import { plainJson, terminalText } from '../../core/text.ts'
import { loadWantedGraphemes } from '../../text/columns.ts'
import { paintFor } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { wrapProse } from '../../text/wrap.ts'

/** Wraps lines that are too long for the terminal; a pipe gets them whole. */
export function print(text: string): void {
  write(process.stdout, wrapped(text, process.stdout))
}

/** Notes, progress and warnings: everything that is not the result. */
export function note(text: string): void {
  write(process.stderr, wrapped(text, process.stderr))
}

/** Prints text laid out for the terminal, again if its width could only be estimated at first. */
export async function printFor(render: (reader: Reader) => string): Promise<void> {
  const reader = terminalReader()
  const rough = render(reader)
  const loading = loadWantedGraphemes()
  await loading
  print(loading ? render(reader) : rough)
}

/** Prints a view as JSON, or as text for the terminal. */
export async function printView<View>(
  view: View,
  { json }: { json?: boolean },
  text: (view: View, reader: Reader) => string,
): Promise<void> {
  if (json) printJson(view)
  else await printFor((reader) => text(view, reader))
}

/** For text that somebody may copy: JSON, a file, a diff. */
export function printVerbatim(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  write(stream, text)
}

export function printJson(value: unknown): void {
  printVerbatim(plainJson(JSON.stringify(value, null, 2)))
}

/** One value per line. */
export function printJsonLine(value: unknown): void {
  printVerbatim(plainJson(JSON.stringify(value)))
}

export function terminalReader(): Reader {
  const { columns } = process.stdout
  const width = columns ? { width: columns } : {}
  return { now: Date.now(), ...width, paint: paintFor(), home: userHome() }
}

function wrapped(text: string, { columns }: { columns?: number }): string {
  return columns ? wrapProse(text, columns).join('\n') : text
}

function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(`${terminalText(text)}\n`)
}
