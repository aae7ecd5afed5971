/**
 * Text from a session is hostile until it has passed through here. The result is safe to show in a terminal: no
 * C0 or C1 control, no escape sequence, no bidi or invisible control. JSON keeps them, escaped.
 */

// Remove whole escape sequences first, so that their printable tails do not stay behind.
const ESCAPE_SEQUENCES =
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b[P^_X]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*(?:\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g

/** Invisible, but part of what people see: the emoji joiner and selector, and joiners in scripts that join. */
const JOINING = '[\\u0620-\\u109f\\u1780-\\u18af]'
const SHAPING = [
  '(?<=\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier})\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic}|[0-9#*](?=\\ufe0f\\u20e3))\\ufe0f',
  `(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`,
].join('|')

/** What JSON leaves raw and a terminal obeys or hides: DEL, C1, bidi controls, tags, fillers, other invisible ones. */
const INVISIBLE = new RegExp(
  `(?!${SHAPING})[\\u007f-\\u009f\\u2028\\u2029\\ufff9-\\ufffb\\p{Default_Ignorable_Code_Point}]|\\p{Surrogate}`,
  'gu',
)

const C0 = /[\u0000-\u0008\u000b-\u001f]/
const FORBIDDEN = new RegExp(`${C0.source}|${INVISIBLE.source}`, 'gu')
const COLOUR_OR_FORBIDDEN = new RegExp(`(\\u001b\\[[\\d;]*m)|${FORBIDDEN.source}`, 'gu')

/** An absolute path that can be passed to a program: NUL is impossible, and no honest path has a control. */
export const PLAIN_PATH = /^\/[^\0-\x1f\x7f]*$/

/** Keeps newlines, and turns tabs and Unicode's own line separators into spaces. */
export function displayText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(ESCAPE_SEQUENCES, '')
    .replaceAll('\r', '\n')
    .replaceAll('\t', '  ')
    .replace(/[\u2028\u2029]/g, ' ')
    .replace(FORBIDDEN, '')
}

/** The same on one line, with runs of white space collapsed. */
export function displayLine(text: string): string {
  return displayText(text).replace(/\s+/g, ' ').trim()
}

/** Joins several lines visibly: a command and its description must not read as one command. */
export function displaySummary(text: string): string {
  return displayText(text).split('\n').map(displayLine).filter(Boolean).join(' · ')
}

/**
 * For text that somebody approves: nothing in it may be hidden. Every control and every invisible character becomes a
 * sign that is shown, and the text of an escape sequence stays.
 */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(FORBIDDEN, visible)
}

/** The same for a name or a choice, on one line. */
export function visibleLine(text: string): string {
  return displayLine(visibleText(text).replaceAll('\n', '\u240a'))
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Our own lines for a terminal: keeps our colours and removes any other control that slipped through. */
export function terminalText(text: string): string {
  return text.replace(COLOUR_OR_FORBIDDEN, (_, colour?: string) => colour ?? '')
}

/** JSON that is safe to print and log: it means the same, and nothing in it controls a terminal. */
export function plainJson(json: string): string {
  return json.replace(INVISIBLE, escaped)
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Cuts at a code point, never inside one, and adds an ellipsis. */
export function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, Math.max(0, maxChars - 1))
  const last = cut.charCodeAt(cut.length - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return `${splitsPair ? cut.slice(0, -1) : cut}…`
}
