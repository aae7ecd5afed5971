/**
 * One command of a tmux configuration, its words unquoted. A `{ … }` block is one word holding its text, as in
 * tmux 3.2. `lineStart` is the offset of the line where the outermost construct around the command begins,
 * which is its `%if` if it is inside one.
 */
export type ConfCommand = { words: string[]; lineStart: number }

/** Reads what tmux would read without expanding anything, so `$HOME` and `~` stay as they are. */
export function confCommands(text: string): ConfCommand[] {
  const commands: ConfCommand[] = []
  let words: string[] = []
  let start = 0
  let ifDepth = 0
  let ifStart = 0
  const finish = () => {
    if (words.length === 0) return
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    if (words[0] === '%if' && ifDepth++ === 0) ifStart = lineStart
    commands.push({ words, lineStart: ifDepth > 0 ? ifStart : lineStart })
    if (words[0] === '%endif') ifDepth = Math.max(0, ifDepth - 1)
    words = []
  }
  for (let at = 0; at < text.length; ) {
    const char = text[at]!
    if (char === '\n' || char === ';') {
      finish()
      at++
    } else if (char === ' ' || char === '\t' || char === '\r') {
      at++
    } else if (char === '#') {
      at = endOfComment(text, at)
    } else {
      if (words.length === 0) start = at
      const word = char === '{' ? readBlock(text, at) : readWord(text, at)
      // A lone continuation is not a word.
      if (word.value !== '' || word.quoted) words.push(word.value)
      at = word.end
    }
  }
  finish()
  return commands
}

type Word = { value: string; end: number; quoted: boolean }

function readWord(text: string, from: number): Word {
  let value = ''
  let quoted = false
  let at = from
  while (at < text.length) {
    const char = text[at]!
    if (char === ' ' || char === '\t' || char === '\n' || char === ';') break
    if (char === '\r' && text[at + 1] === '\n') break
    if (char === "'" || char === '"') {
      const inner = readQuoted(text, at)
      value += inner.value
      at = inner.end
      quoted = true
    } else if (char === '\\') {
      const escaped = readEscape(text, at)
      value += escaped.value
      at = escaped.end
    } else {
      value += char
      at++
    }
  }
  return { value, end: at, quoted }
}

function readQuoted(text: string, from: number): { value: string; end: number } {
  const quote = text[from]
  let value = ''
  let at = from + 1
  while (at < text.length && text[at] !== quote) {
    if (quote === '"' && text[at] === '\\') {
      const escaped = readEscape(text, at)
      value += escaped.value
      at = escaped.end
    } else {
      value += text[at++]
    }
  }
  return { value, end: at + 1 }
}

function readEscape(text: string, from: number): { value: string; end: number } {
  const continued = /^\\\r?\n/.exec(text.slice(from, from + 3))
  if (continued) return { value: '', end: from + continued[0].length }
  return { value: text[from + 1] ?? '', end: from + 2 }
}

function readBlock(text: string, from: number): Word {
  let depth = 0
  let at = from
  let atWordStart = true
  while (at < text.length) {
    const char = text[at]!
    if (char === "'" || char === '"') {
      at = readQuoted(text, at).end
    } else if (char === '\\') {
      at = readEscape(text, at).end
    } else if (char === '#' && atWordStart) {
      at = endOfComment(text, at)
    } else {
      if (char === '{') depth++
      if (char === '}' && --depth === 0) break
      at++
    }
    atWordStart = /[\s;{]/.test(char)
  }
  return { value: text.slice(from + 1, at), end: at + 1, quoted: true }
}

function endOfComment(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
