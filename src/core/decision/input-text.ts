/** A longer input is not spread over lines: nested lists would be many times as long as their JSON. */
const MOST_SPREAD_CHARS = 32_000

/** What a tool would do with its input, as text: changes of text as a diff, everything else by its name. */
export function inputText(tool: string | undefined, input: unknown): string {
  if (isObject(input) && (JSON.stringify(input) ?? '').length > MOST_SPREAD_CHARS) {
    return [...(tool === undefined ? [] : [tool]), ...longFields(input)].join('\n')
  }
  const lines = isObject(input) ? fieldsOf(input) : input === undefined ? [] : valueLines(input)
  return [...(tool === undefined ? [] : [tool]), ...lines].join('\n')
}

type Fields = Record<string, unknown>

/** The names that tools give to a text and what takes its place. */
const CHANGES = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['old_text', 'new_text'],
  ['oldText', 'newText'],
] as const

/** Texts and changes of text as in a short input, anything else as JSON on one line. */
function longFields(input: Fields): string[] {
  const flat = Object.entries(input).map(([name, value]) => [
    name,
    isText(value) ? value : JSON.stringify(value),
  ])
  return fieldsOf(Object.fromEntries(flat))
}

function fieldsOf(input: Fields): string[] {
  const change = CHANGES.find((names) => isChange(names.map((name) => input[name])))
  const rest = Object.entries(input).filter(([name]) => !change?.includes(name as never))
  const named = rest.flatMap(([name, value]) => field(name, value))
  if (!change) return named
  const [before, after] = change.map((name) => (isText(input[name]) ? input[name] : ''))
  return [...named, ...diffLines(before ?? '', after ?? '')]
}

/** Anything else under these names is shown as what it is. */
function isChange(texts: readonly unknown[]): boolean {
  return texts.some(isText) && texts.every((text) => text === undefined || isText(text))
}

function field(name: string, value: unknown): string[] {
  if (isText(value) && !value.includes('\n')) return [`${name}: ${value}`]
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    return value.flatMap((each, index) => [`${name} ${index + 1}:`, ...indented(fieldsOf(each))])
  }
  const lines = valueLines(value)
  return lines.length === 1 ? [`${name}: ${lines[0]}`] : [`${name}:`, ...indented(lines)]
}

function valueLines(value: unknown): string[] {
  return (isText(value) ? value : (JSON.stringify(value, null, 2) ?? '')).split('\n')
}

/** The lines that both have at their ends stay; those between are replaced. */
export function diffLines(before: string, after: string): string[] {
  const isWhole = [before, after].every((text) => text === '' || text.endsWith('\n'))
  const [old, fresh] = [linesOf(before, isWhole), linesOf(after, isWhole)]
  const most = Math.min(old.length, fresh.length)
  let head = 0
  while (head < most && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  return [
    ...old.slice(0, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail).map((line) => `  ${line}`),
  ]
}

/** A last line break that only one of them has is a change, and shown as an empty line. */
function linesOf(text: string, isWhole: boolean): string[] {
  return text === '' ? [] : (isWhole ? text.replace(/\n$/, '') : text).split('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
