import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TMUX } from '../tmux-server.ts'

/** A `tmux` that records its arguments and a control client's input, and then becomes tmux. */
export type TmuxRecorder = {
  /** The directory to put first in PATH. */
  path: string
  /** Every call so far: one argv each, with a control client's lines as further ones. */
  calls(): string[][]
}

export function createTmuxRecorder(dir: string): TmuxRecorder {
  const path = join(dir, 'recording-bin')
  const records = join(dir, 'recorded')
  mkdirSync(path)
  mkdirSync(records)
  const script = `#!/bin/sh
call=$(mktemp '${records}/argv.XXXXXXXX')
printf '%s\\0' "$@" >"$call"
case " $* " in
*' -C '* | *' -CC '*) tee '${records}'/"stdin.\${call##*.}" | '${TMUX}' "$@" ;;
*) exec '${TMUX}' "$@" ;;
esac
`
  writeFileSync(join(path, 'tmux'), script, { mode: 0o755 })
  return {
    path,
    calls: () =>
      readdirSync(records).flatMap((name) => {
        const text = readFileSync(join(records, name), 'utf8')
        if (name.startsWith('argv.')) return [text.split('\0').slice(0, -1)]
        return text.split('\n').filter(Boolean).map(wordsIn)
      }),
  }
}

/** The words of a line as tmux reads it: bare, or in single quotes. */
function wordsIn(line: string): string[] {
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
}
