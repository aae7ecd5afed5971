import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

/** Who may import whom. Everybody may import `core`, which imports nobody. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  contract: [],
  store: [],
  tmux: [],
  config: [],
  harness: ['contract'],
  daemon: ['contract', 'store', 'tmux', 'config', 'harness'],
  client: ['contract'],
  tui: ['contract', 'client'],
  demo: [],
  cli: ['client', 'contract', 'tui', 'tmux', 'config', 'harness'],
}

/** Words that would put something into a pane, or end one. Only the supervisor has business with them. */
const WRITES_TO_PANES =
  /['"`](?:[^'"`\n]*[;{] *)?(send-keys|send-prefix|paste-buffer|load-buffer|set-buffer|pipe-pane|respawn-pane|respawn-window|kill-pane|kill-window|kill-session|kill-server|pasteb|loadb|setb|pipep|respawnp|respawnw|killp|killw)\b/

/** Where they stand, and who may import that: what is not here can neither write nor end anything. */
const WRITERS: Record<string, RegExp> = {
  'tmux/guarded-write.ts': /^daemon\/supervisor\//,
  'tmux/runtime-panes.ts': /^daemon\/supervisor\//,
}
/** What they are made of. */
const PARTS_OF_WRITERS: Record<string, RegExp> = {
  'tmux/pane-guard.ts': /^tmux\/(guarded-write|runtime-panes|spare-pane|operator-activity)\.ts$/,
  'tmux/spare-pane.ts': /^(tmux\/runtime-panes\.ts$|daemon\/supervisor\/)/,
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

  test('core knows no harness by name', () => {
    const harnesses = readdirSync(join(src, 'harness'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => new RegExp(name.split('-')[0] ?? name, 'i'))
    const core = sources.filter(({ layer }) => layer === 'core')
    expect(harnesses).not.toEqual([])
    expect(
      core.filter(({ text }) => harnesses.some((name) => name.test(text))).map(({ file }) => file),
    ).toEqual([])
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

  test('a file is read in one sitting', () => {
    const long = sources
      .map(({ file, text }) => ({ file, lines: text.split('\n').length }))
      .filter(({ lines }) => lines > 320)
    expect(long).toEqual([])
  })
})
