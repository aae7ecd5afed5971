import { MAX_OWN_RULES, type OwnScreenRule, parseScreenRule } from '../contract/screen-rules.ts'
import { messageOf } from '../core/errors.ts'
import { truncate } from '../core/text.ts'
import { readSmallFile } from './adapter/small-file.ts'
import { ADAPTERS } from './registry.ts'
import { GENERIC } from './screen/generic-screen.ts'

/** The operator's screen rules by harness. Each unusable part is left out, and a sentence says why. */
export type OwnScreenRules = {
  file: string
  rules: ReadonlyMap<string, readonly OwnScreenRule[]>
  problems: readonly string[]
}

/** Without a file there are none. Nothing in it stops anything: only the bad rule itself is refused. */
export function readOwnScreenRules(file: string): OwnScreenRules {
  const read = readSmallFile(file, '')
  if (read.kind === 'read') return parseOwnScreenRules(file, read.text)
  if (read.kind === 'unfit') return refused(file, `${read.why}.`)
  return { file, rules: new Map(), problems: [] }
}

export function parseOwnScreenRules(file: string, text: string): OwnScreenRules {
  // A pattern with this character would match nothing, and nobody would know why.
  if (text.includes('\uFFFD')) {
    return refused(file, 'It is not UTF-8 throughout: save it as UTF-8, without U+FFFD in it.')
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return refused(file, `It is not valid JSON: ${messageOf(error)}.`)
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return refused(file, 'It must hold one JSON object: {"<harness>": [ rules ]}.')
  }
  const rules = new Map<string, OwnScreenRule[]>()
  const problems: string[] = []
  for (const [harness, list] of Object.entries(value)) {
    const section = sectionOf(harness, list)
    rules.set(harness, section.rules)
    problems.push(...section.problems.map((problem) => `${file}, ${problem}`))
  }
  return { file, rules, problems }
}

function refused(file: string, why: string): OwnScreenRules {
  const problem = `${file} cannot be used: ${why} The built-in screen rules count alone.`
  return { file, rules: new Map(), problems: [problem] }
}

function sectionOf(harness: string, list: unknown): { rules: OwnScreenRule[]; problems: string[] } {
  const name = JSON.stringify(truncate(harness, 60))
  const known = [...ADAPTERS.map((adapter) => adapter.harness), GENERIC]
  if (!known.includes(harness)) {
    const problem = `${name} is no harness: its rules are not used. There are ${known.join(', ')}.`
    return { rules: [], problems: [problem] }
  }
  if (!Array.isArray(list)) {
    return { rules: [], problems: [`${name} must be a list of rules. Write "${harness}": [ … ].`] }
  }
  const rules: OwnScreenRule[] = []
  const problems: string[] = []
  for (const [at, input] of list.slice(0, MAX_OWN_RULES).entries()) {
    const parsed = withOneName(parseScreenRule(input), rules)
    if ('rule' in parsed) rules.push(parsed.rule)
    else problems.push(`${harness}, ${refusalOf(at + 1, parsed)}`)
  }
  if (list.length > MAX_OWN_RULES) {
    problems.push(`${harness}: only the first ${MAX_OWN_RULES} of ${list.length} rules are used.`)
  }
  return { rules, problems }
}

type Parsed = ReturnType<typeof parseScreenRule>

function withOneName(parsed: Parsed, before: readonly OwnScreenRule[]): Parsed {
  if (!('rule' in parsed) || before.every(({ name }) => name !== parsed.rule.name)) return parsed
  return { name: parsed.rule.name, mistakes: ['name is that of another rule further up.'] }
}

function refusalOf(number: number, { name, mistakes }: Exclude<Parsed, { rule: unknown }>): string {
  const called = name === undefined ? '' : ` ${JSON.stringify(name)}`
  return `rule ${number}${called}: ${mistakes.join(' ')} Correct it; until then this rule is not used.`
}
