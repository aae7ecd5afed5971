import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from '../src/harness/registry.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

/** Who may import whom. Everybody may import `core`, which imports nobody. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  contract: [],
  text: [],
  config: [],
  process: [],
  store: [],
  tmux: ['process'],
  harness: ['contract', 'process', 'text'],
  service: ['contract', 'config'],
  supervisor: ['contract', 'config', 'process', 'store', 'tmux', 'harness', 'service'],
  daemon: ['contract', 'config', 'process', 'store', 'tmux', 'harness', 'service', 'supervisor'],
  client: ['contract'],
  'agent-sdk': ['client', 'contract', 'config'],
  tui: ['contract', 'client', 'text'],
  demo: ['text'],
  cli: ['client', 'contract', 'text', 'tui', 'tmux', 'config', 'process', 'harness'],
}

const MOST_FILES = 15
const MOST_LINES = 320

/** Words that would put something into a pane, or end one. Only the supervisor has business with them. */
const WRITES_TO_PANES =
  /['"`](?:[^'"`\n]*[;{] *)?(send-keys|send-prefix|paste-buffer|load-buffer|set-buffer|pipe-pane|respawn-pane|respawn-window|kill-pane|kill-window|kill-session|kill-server|pasteb|loadb|setb|pipep|respawnp|respawnw|killp|killw)\b/

/** Where they stand, and who may import that: what is not here can neither write nor end anything. */
const WRITERS: Record<string, RegExp> = {
  'tmux/write/guarded-write.ts': /^supervisor\//,
  'tmux/write/runtime-panes.ts': /^supervisor\//,
}
/** What they are made of. */
const PARTS_OF_WRITERS: Record<string, RegExp> = {
  'tmux/write/pane-guard.ts': /^tmux\/write\//,
  'tmux/write/spare-pane.ts': /^(tmux\/write\/runtime-panes\.ts$|supervisor\/)/,
}

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({
    file,
    layer: file.split('/')[0] ?? '',
    text: readFileSync(join(src, file), 'utf8'),
  }))

function imports({ file, text }: { file: string; text: string }): string[] {
  const found = text.matchAll(/(?:from|import\()\s*'([^']+)'/g)
  return [...found].map(([, specifier = '']) =>
    specifier.startsWith('.') ? relative(src, resolve(src, dirname(file), specifier)) : specifier,
  )
}

/** In any case, also as a part of `camelCase` and `SNAKE_CASE`; not within a longer word. */
function wholeWord(word: string): RegExp {
  const hump = '(?<=[a-z])(?=[A-Z])'
  return new RegExp(`(?:(?<![A-Za-z])|${hump})(?i:${word})(?:(?![A-Za-z])|${hump})`)
}

describe('the architecture', () => {
  test('every layer is one that the rules know', () => {
    expect([...new Set(sources.map(({ layer }) => layer))].toSorted()).toEqual(
      Object.keys(MAY_IMPORT).toSorted(),
    )
  })

  test.each(Object.keys(MAY_IMPORT))('%s imports only what it may', (layer) => {
    const allowed = new Set([layer, 'core', ...(MAY_IMPORT[layer] ?? [])])
    const wrong = sources
      .filter((source) => source.layer === layer)
      .flatMap((source) =>
        imports(source)
          .filter((path) => path.endsWith('.ts') && !allowed.has(path.split('/')[0] ?? ''))
          .map((path) => `${source.file} imports ${path}`),
      )
    expect(wrong).toEqual([])
  })

  test('nothing but the adapters, their registry and the demo knows a harness by name', () => {
    const names = ADAPTERS.map(({ harness }) => wholeWord(harness.split('-')[0] ?? harness))
    const places = ['harness/registry.ts', 'demo/', 'cli/demo/']
    const knowing = [...places, ...ADAPTERS.map(({ harness }) => `harness/${harness}/`)]
    const others = sources.filter(({ file }) => !knowing.some((place) => file.startsWith(place)))
    expect(names).not.toEqual([])
    expect(
      others.filter(({ text }) => names.some((name) => name.test(text))).map(({ file }) => file),
    ).toEqual([])
  })

  test.each(['pi', 'Pi 1.0', 'PI_HOME', 'piHome', 'readPi'])('%s has the word pi', (text) => {
    expect(text).toMatch(wholeWord('pi'))
  })

  test.each(['pipe', 'API', 'PIPE', 'copilot', 'PID'])('%s does not', (text) => {
    expect(text).not.toMatch(wholeWord('pi'))
  })

  test('core is pure: no packages, no clock, no randomness, no waiting', () => {
    const core = sources.filter(({ layer }) => layer === 'core')
    const impure = core.flatMap((source) => [
      ...imports(source)
        .filter((path) => !path.startsWith('core/'))
        .map((path) => `${source.file} imports ${path}`),
      ...[
        /\bDate\.now\b/,
        /\bnew Date\(\)/,
        /\bMath\.random\b/,
        /\bawait\b/,
        /\bprocess\.(env|argv|pid|hrtime|exit|cwd)\b/,
        /\bsetTimeout\b/,
      ]
        .filter((word) => word.test(source.text))
        .map((word) => `${source.file} uses ${word.source}`),
    ])
    expect(impure).toEqual([])
  })

  test('no code of the product can write into a pane, but for two files', () => {
    const writers = sources
      .filter(({ layer, text }) => layer !== 'demo' && WRITES_TO_PANES.test(text))
      .map(({ file }) => file)
    // The demo drives an operator's keyboard in a tmux server that it made itself.
    expect(writers.filter((file) => !file.startsWith('cli/demo/')).toSorted()).toEqual(
      Object.keys(WRITERS),
    )
  })

  test('nobody but the supervisor uses these two', () => {
    const guarded = { ...WRITERS, ...PARTS_OF_WRITERS }
    const users = sources.flatMap((source) =>
      imports(source)
        .filter((path) => Object.hasOwn(guarded, path) && !guarded[path]?.test(source.file))
        .map((path) => `${source.file} imports ${path}`),
    )
    expect(users).toEqual([])
  })

  test('tmux is run through one function', () => {
    const spawners = sources
      .filter(({ text }) => /node:child_process/.test(text))
      .map(({ file }) => file)
      .filter((file) => file !== 'tmux/exec.ts')
    const runTmuxThemselves = spawners.filter((file) =>
      sources.some((source) => source.file === file && /['"`]tmux['"`]/.test(source.text)),
    )
    expect(runTmuxThemselves.filter((file) => !file.startsWith('cli/demo/'))).toEqual([])
  })

  test('one file knows /proc, with the one that keeps its files open, and only src/process uses them', () => {
    const own = ['process/linux-files.ts', 'process/linux.ts']
    const readers = sources.filter(({ text }) => /['"`]\/proc\b/.test(text))
    expect(readers.map(({ file }) => file).toSorted()).toEqual(own)
    const users = sources.filter((source) => imports(source).some((path) => own.includes(path)))
    expect(users.filter(({ layer }) => layer !== 'process')).toEqual([])
  })

  test('no folders import each other, directly or around a corner', () => {
    expect(cyclesOf(folderImports())).toEqual([])
  })

  test(`a folder has at most ${MOST_FILES} files`, () => {
    const sizes = Map.groupBy(sources, ({ file }) => dirname(file))
    const large = [...sizes].filter(([, files]) => files.length > MOST_FILES)
    expect(large.map(([folder]) => folder)).toEqual([])
  })

  test(`a file has at most ${MOST_LINES} lines`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length > MOST_LINES)
    expect(long.map(({ file }) => file)).toEqual([])
  })
})

function folderImports(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const source of sources) {
    const from = dirname(source.file)
    const others = folders.get(from) ?? new Set()
    for (const path of imports(source)) {
      if (path.endsWith('.ts') && dirname(path) !== from) others.add(dirname(path))
    }
    folders.set(from, others)
  }
  return folders
}

/** Groups of folders that each reach all others of their group. */
function cyclesOf(folders: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map(
    [...folders.keys()].map((folder) => [folder, reachedFrom(folder, folders)]),
  )
  const groups = [...folders.keys()].map((folder) =>
    [...(reached.get(folder) ?? [])].filter((other) => reached.get(other)?.has(folder)).toSorted(),
  )
  const distinct = new Map(
    groups.filter((group) => group.length > 0).map((group) => [group[0], group]),
  )
  return [...distinct.values()].toSorted()
}

function reachedFrom(
  start: string,
  folders: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of folders.get(folder) ?? []) {
      if (!reached.has(next)) open.push(next)
      reached.add(next)
    }
  }
  return reached
}
