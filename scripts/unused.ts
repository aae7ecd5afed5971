/**
 * Part of `npm run check`: finds files, exports and packages that nobody uses. Comparing names is enough
 * because all exports are named.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ENTRY =
  /^(src\/(cli|daemon|demo)\/main|src\/agent-sdk\/can-use-tool|scripts\/[^/]+|bench\/[^/]+|test\/real-client\/(.*\/)?(run|record))\.ts$|\.(test|config)\.ts$/
/** Programs and types, which nobody imports. */
const NOT_IMPORTED = /^(@biomejs\/biome|@types\/node|typescript|node-.*)$/
const EXPORT =
  /^export (?:async )?(?:function\*?|class|type|const|let|interface) (\w+)|^export (?:type )?\{([^}]*)\}/gm
const IMPORT =
  /(?:^|\n)(?:import|export) (?:type )?(?:(\{[^}]*\})|[^'{]*?) ?(?:from )?'([^']+)'|(?:const (\{[^}]*\}) = await )?import\(\s*'([^']+)'|'(\.[^']+\.ts)'/g

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/fixtures/'))
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

const imports = new Map<string, Set<string>>()
const used = new Set<string>()
const packages = new Set<string>()
for (const [file, text] of texts) {
  const targets = new Set<string>()
  imports.set(file, targets)
  for (const [, named, from, destructured, lazy, url] of text.matchAll(IMPORT)) {
    const path = from ?? lazy ?? url ?? ''
    if (!path.startsWith('.')) {
      packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '')
      continue
    }
    const target = join(dirname(file), path)
    targets.add(target)
    for (const name of namesIn(named ?? destructured)) used.add(`${target} ${name}`)
  }
}

const reached = new Set<string>()
const open = files.filter((file) => ENTRY.test(file))
for (let file = open.pop(); file !== undefined; file = open.pop()) {
  if (reached.has(file)) continue
  reached.add(file)
  open.push(...(imports.get(file) ?? []))
}

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as Record<string, Record<string, string>>
const listed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })

const unused = [
  ...files.filter((file) => !reached.has(file)).map((file) => `${file} is reached by nobody`),
  ...[...texts]
    .filter(([file]) => !ENTRY.test(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(EXPORT)]
        .flatMap(([, name, list]) => (name ? [name] : namesIn(list)))
        .filter((name) => !used.has(`${file} ${name}`) && !used.has(`${file} *`))
        .filter((name) => !isOwnType(name, text))
        .map((name) => `${file} exports ${name}, which nobody imports`),
    ),
  ...listed
    .filter((name) => !packages.has(name) && !NOT_IMPORTED.test(name))
    .map((name) => `package.json lists ${name}, which nobody imports`),
]
for (const line of unused) console.error(line)
process.exitCode = unused.length > 0 ? 1 : 0

/** A type that only describes the other exports of its file: callers of those need not name it. */
function isOwnType(name: string, text: string): boolean {
  const isType = new RegExp(`^export (type|interface) ${name}\\b`, 'm').test(text)
  return isType && text.split(new RegExp(`\\b${name}\\b`)).length > 2
}

/** All names if the import does not list them. */
function namesIn(list: string | undefined): string[] {
  if (list === undefined) return ['*']
  return list
    .replace(/[{}]/g, '')
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, '')
          .split(/ as |:/)[0]
          ?.trim() ?? '',
    )
    .filter((name) => name !== '')
}
